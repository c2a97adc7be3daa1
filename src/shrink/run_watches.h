#pragma once
#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

#include "run/launcher.h"
#include "run/schedule_collector.h"
#include "trace/ring_decoder.h"

namespace heddle::shrink {

// Where a scheduling point is.
struct PointPlace {
  std::uint32_t site = 0;  // 0: a synchronisation
  format::EventKind kind{};
  std::uint64_t line = 0;  // the same for all accesses of one line
  std::uint64_t value = 0;  // that was read or written there
  bool synchronisation() const { return site == 0; }
  bool operator==(const PointPlace&) const = default;
};

// Hears which accesses a recorded run made.
class AccessWatch final : public run::RingSink {
 public:
  void begin(const format::SessionResult&) override {}
  void consume(std::span<const std::uint64_t> words) override {
    decoder_.decode(words, [this](const trace::RingRecord& record) { add(record); });
  }

  bool seen(std::uint32_t site) const { return seen_.contains(site); }
  // The last access of that thread at a site that the other run has come to as well; 0: there is none.
  std::uint32_t last_in_common(std::uint32_t thread, const AccessWatch& other) const {
    std::uint32_t last = 0;
    std::uint64_t when = 0;
    const auto of_thread = last_.find(thread);
    if (of_thread == last_.end()) return 0;
    for (const auto& [site, order] : of_thread->second) {
      if (order < when || !other.seen(site)) continue;
      last = site;
      when = order;
    }
    return last;
  }

 private:
  void add(const trace::RingRecord& record) {
    if (!format::is_access(record.kind) || record.site == 0) return;
    seen_.insert(record.site);
    last_[number(record.thread)][record.site] = ++accesses_;
  }

  trace::RingDecoder decoder_;
  std::unordered_set<std::uint32_t> seen_;
  std::uint64_t accesses_ = 0;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> last_;  // by thread and site: when it was
};

// Hears what each thread comes to at its scheduling points.
class PointWatch final : public run::RingSink {
 public:
  void begin(const format::SessionResult&) override {}
  void consume(std::span<const std::uint64_t> words) override {
    collector_.consume(words);
    decoder_.decode(words, [this](const trace::RingRecord& record) { add(record); });
  }

  run::Decisions finish(const format::SessionProgress& progress) { return collector_.finish(progress); }
  // Without their lines.
  const std::vector<PointPlace>& points_of(std::uint32_t thread) { return points_[thread]; }

 private:
  void add(const trace::RingRecord& record) {
    const bool access = format::is_access(record.kind);
    if (!access && (record.flags & format::kPoint) == 0 && record.kind != format::EventKind::Passed) return;
    points_[number(record.thread)].push_back({access ? record.site : 0, record.kind, 0, record.value});
  }

  trace::RingDecoder decoder_;
  run::ScheduleCollector collector_;
  std::map<std::uint32_t, std::vector<PointPlace>> points_;
};

}  // namespace heddle::shrink
