#pragma once
#include <cstdint>
#include <vector>

namespace heddle {

// Numbers keys from 0 in the order of their first insertion. Open addressing, because a union makes a hundred million
// lookups.
class FlatIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  std::uint64_t key(std::uint32_t number) const { return keys_[number]; }

  // A loop over keys prefetches the slot of the key this many lookups ahead.
  static constexpr std::uint32_t kAhead = 16;
  void prefetch(std::uint64_t key) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash(key) & (slots_.size() - 1)]);
  }

  std::uint32_t find(std::uint64_t key) const {
    if (slots_.empty()) return kNone;
    return slots_[slot_of(key)].number;
  }

  std::uint32_t insert(std::uint64_t key) {
    if (2 * (keys_.size() + 1) > slots_.size()) grow();
    Slot& slot = slots_[slot_of(key)];
    if (slot.number == kNone) {
      slot = {key, size()};
      keys_.push_back(key);
    }
    return slot.number;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = kNone;
  };

  static std::uint64_t hash(std::uint64_t key) {
    const std::uint64_t mixed = key * 0x9e3779b97f4a7c15u;
    return mixed ^ mixed >> 32;
  }

  std::size_t slot_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash(key) & mask;
    while (slots_[at].number != kNone && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 1024 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != kNone) slots_[slot_of(slot.key)] = slot;
  }

  std::vector<Slot> slots_;  // a power of two
  std::vector<std::uint64_t> keys_;
};

}  // namespace heddle
