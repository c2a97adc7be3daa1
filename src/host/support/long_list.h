#pragma once
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

namespace heddle {

// A vector that grows with realloc, which moves the pages of a large list instead of copying their content: for lists
// of up to tens of millions of elements. Copyable, and cheap while short (slice/log/growing_array.h is for lists that
// are always long).
template <typename T>
class LongList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  LongList() = default;
  LongList(std::initializer_list<T> values) {
    for (const T& value : values) push_back(value);
  }
  LongList(const LongList& other) {
    for (const T& value : other) push_back(value);
  }
  LongList(LongList&& other) noexcept
      : values_(std::exchange(other.values_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  LongList& operator=(LongList other) noexcept {
    std::swap(values_, other.values_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~LongList() { std::free(values_); }

  void push_back(const T& value) {
    if (size_ == capacity_) [[unlikely]] {
      const T copy = value;  // `value` may be an element of this list
      grow();
      values_[size_++] = copy;
      return;
    }
    values_[size_++] = value;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t i) const { return values_[i]; }
  T& operator[](std::size_t i) { return values_[i]; }
  const T* begin() const { return values_; }
  const T* end() const { return values_ + size_; }

 private:
  void grow() {
    const std::size_t capacity = capacity_ == 0 ? 16 : 2 * capacity_;
    void* grown = std::realloc(static_cast<void*>(values_), capacity * sizeof(T));
    if (grown == nullptr) throw std::bad_alloc();
    values_ = static_cast<T*>(grown);
    capacity_ = capacity;
  }

  T* values_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace heddle
