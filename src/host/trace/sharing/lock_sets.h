#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace heddle::trace {

// A lock that is held: alone, or (readers-writer locks) together with other readers.
enum class HeldAs : std::uint8_t { Reader, Alone };

// Sets of locks as small numbers. 0 is the empty one.
class LockSets {
 public:
  using Id = std::uint32_t;

  LockSets();

  Id with(Id set, std::uint64_t lock, HeldAs held);
  Id without(Id set, std::uint64_t lock);
  // A lock counts as the weaker of the two.
  Id intersection(Id left, Id right);

  // Whether one thread that holds `left` keeps out another that holds `right`.
  bool exclude(Id left, Id right) const;
  // Whether `set` keeps out nobody that `other` lets in.
  bool no_stronger(Id set, Id other) const;

 private:
  struct Held {
    std::uint32_t lock;
    HeldAs held;
    auto operator<=>(const Held&) const = default;
  };
  using Set = std::vector<Held>;  // sorted by lock

  Id intern(Set set);

  std::vector<Set> sets_;
  std::map<Set, Id> ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> locks_;  // numbered in order of first use
};

}  // namespace heddle::trace
