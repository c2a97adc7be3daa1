#pragma once
// The memory of the runtime. It is mapped directly, never allocated by the program's malloc, so that the runtime does
// not change the addresses of the program's blocks.
#include <cstddef>
#include <cstdint>
#include <new>

namespace heddle::runtime {

struct ArenaState {
  std::uint64_t mapped_bytes;  // address space used so far
  char* chunk;
  std::size_t chunk_left;
};

// Zeroed, 16-byte aligned, never freed. Ends the process if the kernel refuses.
void* arena_allocate(std::size_t size);

// Zeroed pages, which arena_unmap() can free.
void* arena_map(std::size_t size);
void arena_unmap(void* address, std::size_t size);

// A free list of records.
template <typename T, T* T::* kNext>
class SpareList {
 public:
  void give(T* record) {
    record->*kNext = first_;
    first_ = record;
  }
  // A zeroed record, a reused one if there is one.
  T* take() {
    T* record = first_;
    if (record == nullptr) return static_cast<T*>(arena_allocate(sizeof(T)));
    first_ = record->*kNext;
    __builtin_memset(static_cast<void*>(record), 0, sizeof(T));
    return record;
  }

 private:
  T* first_ = nullptr;
};

// A growing array of trivially copyable elements. Growing unmaps the old storage.
template <typename T>
class GrowingArray {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t index) { return data_[index]; }
  const T& operator[](std::size_t index) const { return data_[index]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  T& back() { return data_[size_ - 1]; }
  void clear() { size_ = 0; }
  void push_back(const T& value) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    data_[size_++] = value;
  }
  // With set_size(): fills an array without checking its capacity for each element.
  void reserve(std::size_t count) {
    while (capacity_ < count) [[unlikely]]
      grow();
  }
  // REQUIRES: size is at most the reserved count.
  void set_size(std::size_t size) { size_ = size; }
  void pop_back() { --size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  // Keeps the order. False: the predicate holds for no element.
  template <typename Predicate>
  bool erase_first(Predicate predicate) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (!predicate(data_[i])) continue;
      erase(i);
      return true;
    }
    return false;
  }
  void erase(std::size_t index) {
    for (std::size_t i = index + 1; i < size_; ++i) data_[i - 1] = data_[i];
    --size_;
  }

 private:
  [[gnu::cold, gnu::noinline]] void grow() {
    const std::size_t capacity = capacity_ == 0 ? 4096 / sizeof(T) + 1 : capacity_ * 2;
    T* data = static_cast<T*>(arena_map(capacity * sizeof(T)));
    for (std::size_t i = 0; i < size_; ++i) data[i] = data_[i];
    if (data_ != nullptr) arena_unmap(static_cast<void*>(data_), capacity_ * sizeof(T));
    data_ = data;
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace heddle::runtime
