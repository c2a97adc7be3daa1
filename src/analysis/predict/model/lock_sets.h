#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace heddle::predict {

using LockId = std::uint32_t;
using LockSetId = std::uint32_t;
inline constexpr LockSetId kNoLocks = 0;

// A lock and how it is held. Ordered by lock, so that sets are sorted the same whoever built them.
struct LockHold {
  LockId lock = 0;
  bool shared = false;  // a read hold of a reader-writer lock

  bool operator==(const LockHold&) const = default;
  // Two holds of different threads exclude each other unless both are read holds.
  bool excludes(const LockHold& other) const { return lock == other.lock && !(shared && other.shared); }
};

// Sets of holds as numbers: programs have few distinct ones, and an access carries only the number.
class LockSets {
 public:
  LockSets();

  std::span<const LockHold> holds(LockSetId set) const { return sets_[set]; }
  std::size_t size() const { return sets_.size(); }

  LockSetId with(LockSetId set, LockHold hold);
  LockSetId without(LockSetId set, LockId lock);
  const LockHold* find(LockSetId set, LockId lock) const;

  // Whether some lock keeps two threads that hold these sets apart.
  bool exclude(LockSetId a, LockSetId b) const;

 private:
  LockSetId intern(std::vector<LockHold> holds);

  std::vector<std::vector<LockHold>> sets_;
  std::unordered_map<std::uint64_t, std::vector<LockSetId>> by_hash_;
  std::unordered_map<std::uint64_t, LockSetId> steps_;  // (set, hold added or lock removed) -> set
};

}  // namespace heddle::predict
