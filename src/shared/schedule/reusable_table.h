#pragma once
#include <cstddef>

namespace heddle::schedule {

// Returns zeroed memory that is aligned to 16 bytes and is never freed. Never returns nullptr.
using MemorySource = void* (*)(std::size_t bytes);

// An array that grows when it is indexed, for the per-thread data of strategies, which run where malloc is not
// available. It outlives the strategies: one process may make many of them in sequence, and the table's memory is never
// freed. Elements are zero until they are set. REQUIRES: T is trivially copyable and T{} is all zero bits.
template <typename T>
class ReusableTable {
 public:
  // Sets all elements to zero and keeps their memory.
  void begin(MemorySource source) {
    source_ = source;
    for (std::size_t i = 0; i < used_; ++i) elements_[i] = T{};
    used_ = 0;
  }

  // The reference is valid until a larger index is used.
  T& operator[](std::size_t index) {
    if (index >= capacity_) grow(index + 1);
    if (index >= used_) used_ = index + 1;
    return elements_[index];
  }

 private:
  void grow(std::size_t needed) {
    std::size_t capacity = capacity_ == 0 ? 64 : capacity_ * 2;
    while (capacity < needed) capacity *= 2;
    T* const elements = static_cast<T*>(source_(capacity * sizeof(T)));
    for (std::size_t i = 0; i < used_; ++i) elements[i] = elements_[i];
    elements_ = elements;
    capacity_ = capacity;
  }

  MemorySource source_ = nullptr;
  T* elements_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
};

}  // namespace heddle::schedule
