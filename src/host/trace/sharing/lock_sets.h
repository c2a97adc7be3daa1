#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace heddle::trace {

// Locks are numbered in the order of their first use.
using LockId = std::uint32_t;
using LockSetId = std::uint32_t;
inline constexpr LockSetId kNoLocks = 0;

// A lock and how it is held.
struct LockHold {
  LockId lock = 0;
  bool shared = false;  // a read hold of a reader-writer lock

  bool operator==(const LockHold&) const = default;
  // Two holds of different threads exclude each other unless both are read holds.
  bool excludes(const LockHold& other) const { return lock == other.lock && !(shared && other.shared); }
};

// Sets of holds as numbers. Programs have few distinct sets, so an access stores only the number.
class LockSets {
 public:
  LockSets() : sets_(1) {}

  LockId number_of(std::uint64_t object) {
    return locks_.try_emplace(object, static_cast<LockId>(locks_.size())).first->second;
  }

  std::span<const LockHold> holds(LockSetId set) const { return sets_[set]; }
  const LockHold* find(LockSetId set, LockId lock) const;

  LockSetId with(LockSetId set, LockHold hold);
  LockSetId without(LockSetId set, LockId lock);
  // The locks in both sets, each with the weaker hold.
  LockSetId intersection(LockSetId a, LockSetId b);

  // Whether two threads that hold these sets exclude each other.
  bool exclude(LockSetId a, LockSetId b) const;
  // Whether `set` excludes no thread that `other` admits.
  bool no_stronger(LockSetId set, LockSetId other) const;

 private:
  LockSetId intern(std::vector<LockHold> holds);

  std::unordered_map<std::uint64_t, LockId> locks_;  // by object
  std::vector<std::vector<LockHold>> sets_;          // each sorted by lock
  std::unordered_map<std::uint64_t, std::vector<LockSetId>> by_hash_;
  std::unordered_map<std::uint64_t, LockSetId> steps_;  // (set, hold added or lock removed) -> set
};

}  // namespace heddle::trace
