#pragma once
#include <cstddef>

namespace heddle::schedule {

// Zeroed, aligned to 16 bytes, never given back; never nullptr.
using MemorySource = void* (*)(std::size_t bytes);

// An array that grows when it is indexed, for strategies that note something about each thread: they run where there is
// no malloc. It outlives them, because in one process many may be made one after the other and what it has is never
// given back. Elements are zero until they are set. T: trivially copyable, T{} is all zero bits.
template <typename T>
class ReusableTable {
 public:
  // All elements are zero again; their memory is kept.
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
