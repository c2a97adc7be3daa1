#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "run/process/ring_sink.h"

namespace heddle::shrink {

// Where a scheduling point is.
struct PointPlace {
  std::uint32_t site = 0;  // 0: a synchronisation
  format::EventKind kind{};
  std::uint64_t line = 0;   // the same for all accesses of one line
  std::uint64_t value = 0;  // that was read or written there
  bool synchronisation() const { return site == 0; }
  bool operator==(const PointPlace&) const = default;
};

// Without its line.
inline PointPlace place_of(const trace::Event& record) {
  return {format::is_access(record.kind) ? record.site : 0, record.kind, 0, record.value};
}

// Small numbers, threads or sites, come in no order and have few gaps: found without searching, for they are asked for
// at every event of runs of many millions.
template <typename Value>
class ByNumber {
 public:
  Value& operator[](std::size_t number) {
    if (number >= values_.size()) [[unlikely]]
      values_.resize(number + 1);
    return values_[number];
  }
  const Value* find(std::size_t number) const { return number < values_.size() ? &values_[number] : nullptr; }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<Value> values_;
};

// Sites of the site tables and places of calls are numbered apart (format/session.h).
constexpr std::size_t site_index(std::uint32_t site) {
  return site < format::kFirstCallSite ? std::size_t{site} * 2 : std::size_t{site - format::kFirstCallSite} * 2 + 1;
}
constexpr std::uint32_t site_of_index(std::size_t index) {
  return static_cast<std::uint32_t>(index / 2) + (index % 2 == 0 ? 0 : format::kFirstCallSite);
}

class SeenSites {
 public:
  void add(std::uint32_t site) { seen_[site_index(site)] = 1; }
  bool contains(std::uint32_t site) const {
    const std::uint8_t* seen = seen_.find(site_index(site));
    return seen != nullptr && *seen != 0;
  }

 private:
  ByNumber<std::uint8_t> seen_;
};

// Hears to which sites a recorded run has come, and nothing else.
class SiteObserver final : public run::EventObserver {
 public:
  const SeenSites& seen() const { return seen_; }

 private:
  void observe(std::span<const trace::Event> events) override {
    for (const trace::Event& event : events)
      if (format::is_access(event.kind) && event.site != 0) seen_.add(event.site);
  }

  SeenSites seen_;
};

// Which accesses a recorded run made, and which of them came last.
class LastAccesses {
 public:
  void add(const trace::Event& record) {
    if (!format::is_access(record.kind) || record.site == 0) return;
    seen_.add(record.site);
    last_[number(record.thread)][site_index(record.site)] = ++accesses_;
  }

  const SeenSites& seen() const { return seen_; }
  // The last access of that thread at a site that the other run has come to as well; 0: there is none.
  std::uint32_t last_in_common(std::uint32_t thread, const SeenSites& other) const {
    const ByNumber<std::uint64_t>* of_thread = last_.find(thread);
    std::uint32_t last = 0;
    std::uint64_t when = 0;
    for (std::size_t i = 0; of_thread != nullptr && i < of_thread->size(); ++i) {
      const std::uint64_t order = *of_thread->find(i);
      if (order <= when || !other.contains(site_of_index(i))) continue;
      last = site_of_index(i);
      when = order;
    }
    return last;
  }

 private:
  SeenSites seen_;
  std::uint64_t accesses_ = 0;
  ByNumber<ByNumber<std::uint64_t>> last_;  // by thread and site: when it was; 0: never
};

// A scheduling point that a thread has come to, and the one before it.
struct ReachedPoint {
  std::uint32_t point = 0;  // of the thread, from 1
  PointPlace before, at;
};

// Hears of points that are looked for. To keep all of them takes longer than the run.
class ReachedObserver final : public run::EventObserver {
 public:
  using IsWanted = std::function<bool(const ReachedPoint&)>;
  explicit ReachedObserver(IsWanted is_wanted) : is_wanted_(std::move(is_wanted)) {}

  run::Decisions finish(const format::SessionProgress& progress) { return collector_.finish(progress); }
  std::vector<ReachedPoint> take_points_of(std::uint32_t thread) { return std::move(wanted_[thread]); }

 private:
  void observe(std::span<const trace::Event> events) override {
    for (const trace::Event& event : events) add(event);
  }
  void add(const trace::Event& record) {
    const bool access = format::is_access(record.kind);
    if (!access) collector_.take(record);
    if (!trace::is_point(record)) return;
    ReachedPoint& last = last_[number(record.thread)];
    last = {last.point + 1, last.at, place_of(record)};
    if (is_wanted_(last)) wanted_[number(record.thread)].push_back(last);
  }

  const IsWanted is_wanted_;
  run::ScheduleCollector collector_;
  ByNumber<ReachedPoint> last_;                 // by thread
  ByNumber<std::vector<ReachedPoint>> wanted_;  // by thread
};

// Hears what each thread comes to at its scheduling points.
class PointObserver final : public run::EventObserver {
 public:
  run::Decisions finish(const format::SessionProgress& progress) { return collector_.finish(progress); }
  // Without their lines.
  std::vector<PointPlace> take_points_of(std::uint32_t thread) { return std::move(points_[thread]); }

 private:
  void observe(std::span<const trace::Event> events) override {
    for (const trace::Event& event : events) add(event);
  }
  void add(const trace::Event& record) {
    const bool access = format::is_access(record.kind);
    if (!access) collector_.take(record);
    if (trace::is_point(record)) points_[number(record.thread)].push_back(place_of(record));
  }

  run::ScheduleCollector collector_;
  ByNumber<std::vector<PointPlace>> points_;
};

}  // namespace heddle::shrink
