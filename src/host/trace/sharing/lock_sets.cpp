#include "trace/sharing/lock_sets.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace heddle::trace {
namespace {

// Low bits of a key in steps_: the operation on the set.
enum Step : std::uint64_t { kAddExclusive = 0, kAddShared = 1, kRemove = 2 };

std::uint64_t step_key(LockSetId set, LockId lock, Step step) {
  return static_cast<std::uint64_t>(set) << 34 ^ static_cast<std::uint64_t>(lock) << 2 ^ step;
}

}  // namespace

LockSetId LockSets::with(LockSetId set, LockHold hold) {
  const auto [known, added] = steps_.try_emplace(step_key(set, hold.lock, hold.shared ? kAddShared : kAddExclusive));
  if (!added) return known->second;
  std::vector<LockHold> holds = sets_[set];
  const auto place = std::ranges::lower_bound(holds, hold.lock, {}, &LockHold::lock);
  if (place != holds.end() && place->lock == hold.lock)
    *place = hold;
  else
    holds.insert(place, hold);
  return known->second = intern(std::move(holds));
}

LockSetId LockSets::without(LockSetId set, LockId lock) {
  const auto [known, added] = steps_.try_emplace(step_key(set, lock, kRemove));
  if (!added) return known->second;
  std::vector<LockHold> holds = sets_[set];
  std::erase_if(holds, [lock](const LockHold& hold) { return hold.lock == lock; });
  return known->second = intern(std::move(holds));
}

LockSetId LockSets::intersection(LockSetId a, LockSetId b) {
  std::vector<LockHold> common;
  for (const LockHold& hold : sets_[a])
    if (const LockHold* other = find(b, hold.lock)) common.push_back({hold.lock, hold.shared || other->shared});
  return intern(std::move(common));
}

const LockHold* LockSets::find(LockSetId set, LockId lock) const {
  const std::vector<LockHold>& holds = sets_[set];
  const auto place = std::ranges::lower_bound(holds, lock, {}, &LockHold::lock);
  return place != holds.end() && place->lock == lock ? &*place : nullptr;
}

bool LockSets::exclude(LockSetId a, LockSetId b) const {
  if (a == kNoLocks || b == kNoLocks) return false;
  return std::ranges::any_of(sets_[a], [&](const LockHold& hold) {
    const LockHold* other = find(b, hold.lock);
    return other != nullptr && hold.excludes(*other);
  });
}

bool LockSets::no_stronger(LockSetId set, LockSetId other) const {
  return std::ranges::all_of(sets_[set], [&](const LockHold& hold) {
    const LockHold* same = find(other, hold.lock);
    return same != nullptr && (hold.shared || !same->shared);
  });
}

LockSetId LockSets::intern(std::vector<LockHold> holds) {
  if (holds.empty()) return kNoLocks;
  EventHash hash;
  for (const LockHold& hold : holds) hash.add(static_cast<std::uint64_t>(hold.lock) << 1 | (hold.shared ? 1 : 0));
  std::vector<LockSetId>& bucket = by_hash_[hash.value()];
  for (const LockSetId set : bucket) {
    if (sets_[set] == holds) return set;
  }
  sets_.push_back(std::move(holds));
  bucket.push_back(static_cast<LockSetId>(sets_.size() - 1));
  return bucket.back();
}

}  // namespace heddle::trace
