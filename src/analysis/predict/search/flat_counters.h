#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::predict {

// Counts keys that are hashes already. Open addressing in one array, because every pair of accesses is counted.
class FlatCounters {
 public:
  FlatCounters() : slots_(1024) {}

  // Returns how often the key was added, this time included.
  std::uint32_t add(std::uint64_t key) {
    if (2 * used_ >= slots_.size()) grow();
    Slot& slot = find(slots_, key);
    if (slot.count == 0) {
      slot.key = key;
      ++used_;
    }
    return ++slot.count;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t count = 0;
  };

  static Slot& find(std::vector<Slot>& slots, std::uint64_t key) {
    std::size_t at = (key ^ key >> 32) & (slots.size() - 1);
    while (slots[at].count != 0 && slots[at].key != key) at = (at + 1) & (slots.size() - 1);
    return slots[at];
  }

  void grow() {
    std::vector<Slot> larger(2 * slots_.size());
    for (const Slot& slot : slots_) {
      if (slot.count != 0) find(larger, slot.key) = slot;
    }
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace heddle::predict
