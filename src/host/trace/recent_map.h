#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::trace {

// A direct-mapped cache in front of a slower lookup. A key is two words, of which at least one has a zero bit.
template <typename Value, std::size_t kSlots>
class RecentMap {
 public:
  template <typename Compute>
  Value get(std::uint64_t first, std::uint64_t second, Compute&& compute) {
    Slot& slot = slots_[slot_of(first, second)];
    if (slot.first != first || slot.second != second) [[unlikely]] {
      const Value value = compute();
      slot = {first, second, value};
    }
    return slot.value;
  }

 private:
  static_assert((kSlots & (kSlots - 1)) == 0);
  struct Slot {
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t second = ~std::uint64_t{0};
    Value value{};
  };

  static std::size_t slot_of(std::uint64_t first, std::uint64_t second) {
    const std::uint64_t mixed = (first ^ (second << 29 | second >> 35)) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(mixed >> 40) & (kSlots - 1);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kSlots);
};

}  // namespace heddle::trace
