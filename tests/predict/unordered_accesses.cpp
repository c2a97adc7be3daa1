#include "unordered_accesses.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace heddle {
namespace {

using format::EventKind;
using Clock = std::vector<std::uint32_t>;  // by thread: how many of its events come before

void join(Clock& clock, const Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

struct Access {
  std::uint32_t thread, time, site;
};

struct Granule {
  std::vector<Access> writes;  // the last one, if there is any
  std::vector<Access> reads;   // since then, the last of each thread and site
  Clock order;                 // what comes before the last write
};

class Run {
 public:
  explicit Run(std::set<std::pair<std::uint32_t, std::uint32_t>>& known) : known_(known) {}

  void take(const trace::Event& event) {
    const std::uint32_t thread = number(event.thread);
    Clock& clock = clock_of(thread);
    ++clock[thread];
    switch (event.kind) {
      case EventKind::Switch:
      case EventKind::Choice:
      case EventKind::Passed:
      case EventKind::Fence:
        return;
      case EventKind::Fork:
      case EventKind::Join: {
        const auto other = static_cast<std::uint32_t>(event.object);
        if (event.kind == EventKind::Fork)
          join(clock_of(other), Clock(clock_of(thread)));
        else
          join(clock_of(thread), Clock(clock_of(other)));
        return;
      }
      case EventKind::Alloc:
        for_each_granule(event.object, event.value, [&](std::uint64_t granule) { granules_.erase(granule); });
        blocks_[event.object] = event.value;
        return;
      case EventKind::Free:
        // A scheduling point of its own it has none: what its thread did last is where it can still be held up.
        for_each_granule(event.object, blocks_[event.object], [&](std::uint64_t granule) {
          if (touch(granules_[granule], {thread, clock_of(thread)[thread], 0}, true)) known_.insert(last_[thread]);
        });
        return;
      default:
        break;
    }
    if (format::is_access(event.kind)) {
      last_[thread] = {thread, event.site};
      const bool write = format::is_write_access(event.kind);
      for_each_granule(event.object, trace::access_size(event), [&](std::uint64_t granule) {
        touch(granules_[granule], {thread, clock_of(thread)[thread], event.site}, write);
      });
    } else if (event.object != 0) {
      Clock& object = objects_[event.object];
      join(object, clock_of(thread));
      clock_of(thread) = object;
    }
  }

 private:
  template <typename Visit>
  static void for_each_granule(std::uint64_t address, std::uint64_t size, Visit&& visit) {
    if (size == 0) return;
    for (std::uint64_t granule = address >> 3; granule <= (address + size - 1) >> 3; ++granule) visit(granule);
  }

  Clock& clock_of(std::uint32_t thread) {
    Clock& clock = clocks_[thread];
    if (clock.size() <= thread) clock.resize(thread + 1);
    return clock;
  }

  // True: something was unordered.
  bool touch(Granule& granule, const Access& access, bool write) {
    bool unordered = false;
    const auto compare = [&](const std::vector<Access>& others) {
      for (const Access& other : others) {
        const Clock& clock = clock_of(access.thread);
        const bool ordered =
            other.thread == access.thread || (other.thread < clock.size() && clock[other.thread] >= other.time);
        if (ordered) continue;
        unordered = true;
        known_.insert({other.thread, other.site});
        known_.insert({access.thread, access.site});
      }
    };
    compare(granule.writes);
    if (write) compare(granule.reads);
    // Both have a choice of their own now: their order is as good as any.
    join(clock_of(access.thread), granule.order);
    if (write) {
      for (const Access& read : granule.reads) join_access(access.thread, read);
      granule.order = clock_of(access.thread);
      granule.writes = {access};
      granule.reads.clear();
    } else {
      note_read(granule, access);
    }
    return unordered;
  }

  static void note_read(Granule& granule, const Access& access) {
    for (Access& read : granule.reads)
      if (read.thread == access.thread && read.site == access.site) {
        read.time = access.time;
        return;
      }
    granule.reads.push_back(access);
  }

  void join_access(std::uint32_t thread, const Access& other) {
    Clock& clock = clock_of(thread);
    if (clock.size() <= other.thread) clock.resize(other.thread + 1);
    clock[other.thread] = std::max(clock[other.thread], other.time);
  }

  std::set<std::pair<std::uint32_t, std::uint32_t>>& known_;
  std::unordered_map<std::uint32_t, Clock> clocks_;
  std::unordered_map<std::uint64_t, Clock> objects_;
  std::unordered_map<std::uint64_t, Granule> granules_;
  std::unordered_map<std::uint64_t, std::uint64_t> blocks_;                          // sizes
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> last_;  // access of each thread
};

}  // namespace

bool UnorderedAccesses::add(const trace::Trace& run) {
  const std::size_t before = known_.size();
  Run taken(known_);
  for (const trace::Event& event : run.events) taken.take(event);
  return known_.size() != before;
}

}  // namespace heddle
