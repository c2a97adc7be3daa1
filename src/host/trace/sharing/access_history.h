#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "trace/sharing/fork_join_order.h"
#include "trace/sharing/lock_sets.h"

namespace heddle::trace {

// The accesses to a location that a later access may still conflict with. Two accesses conflict if they are of
// different threads, at least one writes, fork and join do not order them, and no common lock excludes them.
//
// A history is a small number, which the many locations with equal histories share. An access is dropped once a later
// access subsumes it: the later one comes after it, and every access that conflicts with the earlier one also conflicts
// with the later one or comes after both.
class AccessHistories {
 public:
  using Id = std::uint32_t;
  static constexpr Id kUntouched = 0;
  static constexpr Id kConflict = 0xffffffffu;

  // An access as a number; accesses that conflict with the same accesses have the same number.
  using Context = std::uint32_t;

  AccessHistories(const ForkJoinOrder& order, LockSets& locks);

  // An access that `thread` makes now while it holds `locks`.
  Context context(ThreadId thread, LockSetId locks, bool write);

  // The history after the access. REQUIRES: `context` is of the thread's current segment.
  Id after(Id history, Context context);

 private:
  struct Access {
    ThreadId thread;
    ForkJoinOrder::Segment segment;
    LockSetId locks;
    bool write;
    auto operator<=>(const Access&) const = default;
  };
  using History = std::vector<Context>;  // sorted

  // Beyond this many accesses a history forgets the threads. It still finds every conflict, and also reports some that
  // fork and join rule out.
  static constexpr std::size_t kAccessesMax = 32;
  static constexpr ThreadId kAnyThread{0xffffffffu};

  bool comes_before(const Access& earlier, const Access& now) const;
  bool conflict(const Access& earlier, const Access& now) const;
  bool subsumes(const Access& now, const Access& earlier) const;
  bool covered_by(const Access& now, const Access& earlier) const;
  bool forget_threads(History& history);
  Context intern(const Access& access);
  Id intern(History history);

  const ForkJoinOrder& order_;
  LockSets& locks_;
  std::vector<Access> contexts_;
  std::map<Access, Context> context_ids_;
  std::vector<History> histories_;
  std::map<History, Id> history_ids_;
};

}  // namespace heddle::trace
