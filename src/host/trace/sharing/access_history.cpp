#include "trace/sharing/access_history.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace heddle::trace {

AccessHistories::AccessHistories(const ForkJoinOrder& order, LockSets& locks) : order_(order), locks_(locks) {
  intern(History{});
}

AccessHistories::Context AccessHistories::context(ThreadId thread, LockSetId locks, bool write) {
  return intern(Access{thread, order_.segment(thread), locks, write});
}

AccessHistories::Id AccessHistories::after(Id history, Context context) {
  if (history == kConflict) return kConflict;
  const Access now = contexts_[context];
  History next;
  bool covered = false;
  for (const Context id : histories_[history]) {
    const Access& earlier = contexts_[id];
    if (conflict(earlier, now)) return kConflict;
    if (covered_by(now, earlier)) covered = true;
    if (!subsumes(now, earlier)) next.push_back(id);
  }
  if (covered) return history;
  next.insert(std::ranges::lower_bound(next, context), context);
  if (next.size() > kAccessesMax && !forget_threads(next)) return kConflict;
  return intern(std::move(next));
}

bool AccessHistories::comes_before(const Access& earlier, const Access& now) const {
  return earlier.thread != kAnyThread && order_.ordered(earlier.thread, earlier.segment, now.thread);
}

bool AccessHistories::conflict(const Access& earlier, const Access& now) const {
  return (earlier.write || now.write) && !comes_before(earlier, now) && !locks_.exclude(earlier.locks, now.locks);
}

bool AccessHistories::subsumes(const Access& now, const Access& earlier) const {
  return comes_before(earlier, now) && (now.write || !earlier.write) && locks_.no_stronger(now.locks, earlier.locks);
}

bool AccessHistories::covered_by(const Access& now, const Access& earlier) const {
  const bool same_place =
      earlier.thread == kAnyThread || (earlier.thread == now.thread && earlier.segment == now.segment);
  return same_place && (earlier.write || !now.write) && locks_.no_stronger(earlier.locks, now.locks);
}

// Merges all accesses under locks into one access of any thread, which holds the locks common to all of them, and all
// reads without locks into one. Keeps the writes without locks. False: a merged write has no common lock left.
bool AccessHistories::forget_threads(History& history) {
  History kept;
  std::optional<Access> locked;
  bool read_freely = false;
  for (const Context id : history) {
    const Access& access = contexts_[id];
    if (access.locks != 0) {
      if (!locked) locked = Access{kAnyThread, 0, access.locks, access.write};
      locked->locks = locks_.intersection(locked->locks, access.locks);
      locked->write = locked->write || access.write;
    } else if (!access.write) {
      read_freely = true;
    } else {
      kept.push_back(id);
    }
  }
  if (locked && locked->locks == 0 && locked->write) return false;
  if (locked) kept.push_back(intern(*locked));
  if (read_freely) kept.push_back(intern(Access{kAnyThread, 0, 0, false}));
  std::ranges::sort(kept);
  history = std::move(kept);
  return true;
}

AccessHistories::Context AccessHistories::intern(const Access& access) {
  const auto [known, added] = context_ids_.try_emplace(access, static_cast<Context>(contexts_.size()));
  if (added) contexts_.push_back(access);
  return known->second;
}

AccessHistories::Id AccessHistories::intern(History history) {
  const auto [known, added] = history_ids_.try_emplace(std::move(history), static_cast<Id>(histories_.size()));
  if (added) histories_.push_back(known->first);
  return known->second;
}

}  // namespace heddle::trace
