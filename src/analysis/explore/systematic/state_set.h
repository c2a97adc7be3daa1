#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::explore {

// A set of hashes, at 16 bytes each or less; only grows.
class StateSet {
 public:
  std::size_t size() const { return size_; }

  bool contains(std::uint64_t hash) const { return !slots_.empty() && slots_[find(hash)] != 0; }

  // False: it was there.
  bool insert(std::uint64_t hash) {
    if (2 * size_ >= slots_.size()) grow();
    std::uint64_t& slot = slots_[find(hash)];
    if (slot != 0) return false;
    slot = stored(hash);
    ++size_;
    return true;
  }

 private:
  static std::uint64_t stored(std::uint64_t hash) { return hash == 0 ? 1 : hash; }  // 0 is a free slot

  std::size_t find(std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (hash * 0x9e3779b97f4a7c15u >> 20) & mask;
    while (slots_[slot] != 0 && slots_[slot] != stored(hash)) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    std::vector<std::uint64_t> old(slots_.empty() ? 1024 : slots_.size() * 2);
    old.swap(slots_);
    for (const std::uint64_t hash : old) {
      if (hash != 0) slots_[find(hash)] = hash;
    }
  }

  std::vector<std::uint64_t> slots_;  // a power of two
  std::size_t size_ = 0;
};

}  // namespace heddle::explore
