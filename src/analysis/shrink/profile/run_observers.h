#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "run/process/ring_sink.h"

namespace heddle::shrink {

// The place of a scheduling point in the program.
struct PointPlace {
  std::uint32_t site = 0;  // 0: a synchronisation
  format::EventKind kind{};
  std::uint64_t line = 0;   // hash, equal for all accesses of one source line; 0: not looked up
  std::uint64_t value = 0;  // read or written there
  bool synchronisation() const { return site == 0; }
  bool operator==(const PointPlace&) const = default;
};

inline PointPlace place_of(const trace::Event& record) {
  return {format::is_access(record.kind) ? record.site : 0, record.kind, 0, record.value};
}

// Maps small numbers with few gaps, such as threads or sites, to values. Needs no search, because it is accessed at
// every event of runs of many millions.
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

// Sites of the site tables and places of calls have separate ranges of numbers (format/session.h); as indices they
// alternate.
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

// Collects only the sites that a run reaches.
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

// The sites that a run reached, and the last access of each thread at each of them.
class LastAccesses {
 public:
  void add(const trace::Event& record) {
    if (!format::is_access(record.kind) || record.site == 0) return;
    seen_.add(record.site);
    last_[number(record.thread)][site_index(record.site)] = ++accesses_;
  }

  const SeenSites& seen() const { return seen_; }
  // Site of the thread's last access at a site that the other run also reached; 0 if none.
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
  ByNumber<ByNumber<std::uint64_t>> last_;  // by thread and site: number of the last access; 0 if none
};

// A scheduling point that a thread has reached, and the one before it.
struct ReachedPoint {
  std::uint32_t point = 0;  // of the thread, from 1
  PointPlace before, at;
};

// Calls visit(ThreadId, ReachedPoint) at every scheduling point.
template <typename Visit>
class PointObserver final : public run::EventObserver {
 public:
  explicit PointObserver(Visit visit) : visit_(std::move(visit)) {}

 private:
  void observe(std::span<const trace::Event> events) override {
    for (const trace::Event& event : events) {
      if (!trace::is_point(event)) continue;
      const std::uint32_t thread = number(event.thread);
      ReachedPoint& last = last_[thread];
      last = {last.point + 1, last.at, place_of(event)};
      visit_(thread, last);
    }
  }

  Visit visit_;
  ByNumber<ReachedPoint> last_;  // by thread
};

}  // namespace heddle::shrink
