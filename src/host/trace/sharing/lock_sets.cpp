#include "trace/sharing/lock_sets.h"

#include <algorithm>
#include <utility>

namespace heddle::trace {

LockSets::LockSets() {
  intern({});
}

LockSets::Id LockSets::with(Id set, std::uint64_t lock, HeldAs held) {
  const std::uint32_t number = locks_.try_emplace(lock, static_cast<std::uint32_t>(locks_.size())).first->second;
  Set larger = sets_[set];
  const auto place = std::ranges::lower_bound(larger, number, {}, &Held::lock);
  if (place != larger.end() && place->lock == number)
    place->held = std::max(place->held, held);
  else
    larger.insert(place, {number, held});
  return intern(std::move(larger));
}

LockSets::Id LockSets::without(Id set, std::uint64_t lock) {
  const auto known = locks_.find(lock);
  if (known == locks_.end()) return set;
  Set smaller = sets_[set];
  std::erase_if(smaller, [&](const Held& held) { return held.lock == known->second; });
  return intern(std::move(smaller));
}

LockSets::Id LockSets::intersection(Id left, Id right) {
  Set common;
  for (const Held& held : sets_[left]) {
    const auto other = std::ranges::lower_bound(sets_[right], held.lock, {}, &Held::lock);
    if (other != sets_[right].end() && other->lock == held.lock) {
      common.push_back({held.lock, std::min(held.held, other->held)});
    }
  }
  return intern(std::move(common));
}

bool LockSets::exclude(Id left, Id right) const {
  for (const Held& held : sets_[left]) {
    const auto other = std::ranges::lower_bound(sets_[right], held.lock, {}, &Held::lock);
    if (other != sets_[right].end() && other->lock == held.lock && std::max(held.held, other->held) == HeldAs::Alone) {
      return true;
    }
  }
  return false;
}

bool LockSets::no_stronger(Id set, Id other) const {
  return std::ranges::all_of(sets_[set], [&](const Held& held) {
    const auto same = std::ranges::lower_bound(sets_[other], held.lock, {}, &Held::lock);
    return same != sets_[other].end() && same->lock == held.lock && held.held <= same->held;
  });
}

LockSets::Id LockSets::intern(Set set) {
  const auto [known, added] = ids_.try_emplace(std::move(set), static_cast<Id>(sets_.size()));
  if (added) sets_.push_back(known->first);
  return known->second;
}

}  // namespace heddle::trace
