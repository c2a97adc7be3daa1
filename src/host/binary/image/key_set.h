#pragma once
#include <cstdint>
#include <vector>

namespace heddle::binary {

// A set of numbers other than 0, in one open-addressing table: fast for millions of insertions, without removal.
class KeySet {
 public:
  // True: the key is new.
  bool insert(std::uint64_t key) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    std::uint64_t& slot = slots_[find(slots_, key)];
    if (slot == key) return false;
    slot = key;
    ++count_;
    return true;
  }

 private:
  static std::size_t find(const std::vector<std::uint64_t>& slots, std::uint64_t key) {
    const std::size_t mask = slots.size() - 1;
    std::size_t at = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 20) & mask;
    while (slots[at] != 0 && slots[at] != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<std::uint64_t> larger(slots_.empty() ? 1024 : 2 * slots_.size(), 0);
    for (const std::uint64_t key : slots_)
      if (key != 0) larger[find(larger, key)] = key;
    slots_ = std::move(larger);
  }

  std::vector<std::uint64_t> slots_;  // size is a power of two; 0: empty
  std::size_t count_ = 0;
};

}  // namespace heddle::binary
