#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "trace/sharing/fork_join_order.h"
#include "trace/sharing/lock_sets.h"

namespace heddle::trace {

// What has been done to a location: the accesses that a later one may still conflict with. Two accesses conflict when
// they are of different threads, one of them writes, fork and join do not order them, and no lock keeps them apart.
//
// Histories are small numbers: locations with the same history, and they are many, share it. An access is kept only
// until a later one stands for it: one that comes after it, whatever conflicts with it then conflicts with the later
// one as well (or comes after both).
class AccessHistories {
 public:
  using Id = std::uint32_t;
  static constexpr Id kUntouched = 0;
  static constexpr Id kConflict = 0xffffffffu;

  // An access as far as conflicts go, as a number.
  using Context = std::uint32_t;

  AccessHistories(const ForkJoinOrder& order, LockSets& locks);

  // What `thread` would do now, holding `locks`.
  Context context(ThreadId thread, LockSetId locks, bool write);

  // REQUIRES: `context` is of the thread's present segment.
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

  // Beyond this many accesses the threads of a history are forgotten: it stays right, and finds conflicts that fork and
  // join rule out.
  static constexpr std::size_t kAccessesMax = 32;
  static constexpr ThreadId kAnybody{0xffffffffu};

  bool comes_before(const Access& earlier, const Access& now) const;
  bool conflict(const Access& earlier, const Access& now) const;
  bool stands_for(const Access& now, const Access& earlier) const;
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
