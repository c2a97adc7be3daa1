#pragma once
#include <cstddef>
#include <cstdint>

#include "runtime/memory/arena.h"

namespace heddle::runtime {

// An open-addressed map from addresses to small values. It erases without tombstones. A new value is zero. REQUIRES:
// Value is trivially copyable.
template <typename Value>
class PointerMap {
 public:
  Value* find(std::uintptr_t key) {
    if (size_ == 0) return nullptr;
    for (std::size_t i = slot(key);; i = (i + 1) & mask_) {
      if (entries_[i].key == key) return &entries_[i].value;
      if (entries_[i].key == 0) return nullptr;
    }
  }

  // REQUIRES: key != 0.
  Value& operator[](std::uintptr_t key) {
    if ((size_ + 1) * 4 > capacity() * 3) grow();
    for (std::size_t i = slot(key);; i = (i + 1) & mask_) {
      if (entries_[i].key == key) return entries_[i].value;
      if (entries_[i].key == 0) {
        entries_[i].key = key;
        entries_[i].value = Value{};
        ++size_;
        return entries_[i].value;
      }
    }
  }

  void erase(std::uintptr_t key) {
    if (size_ == 0) return;
    std::size_t i = slot(key);
    while (entries_[i].key != key) {
      if (entries_[i].key == 0) return;
      i = (i + 1) & mask_;
    }
    --size_;
    // Move later entries of the same probe run back over the gap.
    for (std::size_t j = (i + 1) & mask_; entries_[j].key != 0; j = (j + 1) & mask_) {
      const std::size_t home = slot(entries_[j].key);
      if (((j - home) & mask_) >= ((j - i) & mask_)) {
        entries_[i] = entries_[j];
        i = j;
      }
    }
    entries_[i].key = 0;
  }

  std::size_t size() const { return size_; }

  void clear() {
    if (size_ == 0) return;
    for (std::size_t i = 0; i <= mask_; ++i) entries_[i].key = 0;
    size_ = 0;
  }

 private:
  struct Entry {
    std::uintptr_t key;
    Value value;
  };

  std::size_t capacity() const { return entries_ == nullptr ? 0 : mask_ + 1; }
  std::size_t slot(std::uintptr_t key) const { return (key * 0x9e3779b97f4a7c15u >> 20) & mask_; }

  void grow() {
    Entry* old = entries_;
    const std::size_t old_capacity = capacity();
    const std::size_t wanted = old_capacity == 0 ? 256 : old_capacity * 2;
    entries_ = static_cast<Entry*>(arena_map(wanted * sizeof(Entry)));
    mask_ = wanted - 1;
    size_ = 0;
    for (std::size_t i = 0; i < old_capacity; ++i)
      if (old[i].key != 0) (*this)[old[i].key] = old[i].value;
    if (old != nullptr) arena_unmap(old, old_capacity * sizeof(Entry));
  }

  Entry* entries_ = nullptr;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace heddle::runtime
