#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace heddle::slice {

// An array for hundreds of megabytes that are written once and read backwards. In addition to LongList it prefaults
// pages ahead of the writer, lends unused elements to write into, and frees pages from its end while the others are
// read.
template <typename T>
class GrowingArray {
 public:
  GrowingArray() = default;
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;
  ~GrowingArray() { clear(); }

  void push_back(const T& value) {
    if (at_ == ready_) [[unlikely]]
      make_ready();
    *at_++ = value;
  }
  const T& operator[](std::size_t index) const { return data_[index]; }
  T& operator[](std::size_t index) { return data_[index]; }
  std::span<const T> span() const { return {data_, size()}; }
  void clear() {
    if (end_ != data_) ::munmap(data_, bytes());
    data_ = at_ = ready_ = end_ = nullptr;
  }
  // Frees the memory of all elements but the first `count`, which another thread may read meanwhile. Nothing can be
  // added afterwards.
  void shrink(std::size_t count) {
    const std::size_t page_values = kPage / sizeof(T);
    T* const end = data_ + (count + page_values - 1) / page_values * page_values;
    if (data_ == nullptr || end >= end_) return;
    ::munmap(end, static_cast<std::size_t>(end_ - end) * sizeof(T));
    end_ = end;
  }
  std::size_t size() const { return static_cast<std::size_t>(at_ - data_); }

  // Unused elements behind the last one, never empty. set_end() makes the written ones part of the array.
  std::span<T> room() {
    if (at_ == ready_) make_ready();
    return {at_, ready_};
  }
  void set_end(T* end) { at_ = end; }

 private:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static constexpr std::uintptr_t kPage = 4096;
  static constexpr std::size_t kBytesFirst = std::size_t{1} << 16;
  static constexpr std::size_t kBytesReady = std::size_t{1} << 20;

  std::size_t bytes() const { return static_cast<std::size_t>(end_ - data_) * sizeof(T); }
  // Populating many pages in one call costs less than one page fault each.
  [[gnu::noinline]] void make_ready() {
    if (at_ == end_) grow();
    const std::size_t left = static_cast<std::size_t>(end_ - at_);
    const std::size_t ahead = std::clamp(size() * sizeof(T) / 8, kBytesFirst, kBytesReady);
    const std::size_t count = std::min(left, ahead / sizeof(T));
    auto begin = reinterpret_cast<std::uintptr_t>(at_), end = reinterpret_cast<std::uintptr_t>(at_ + count);
    begin = (begin + kPage - 1) / kPage * kPage;
    end = end / kPage * kPage;
    if (end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
    ready_ = at_ + count;
  }
  void grow() {
    const std::size_t used = size();
    const std::size_t wanted = data_ == nullptr ? kBytesFirst / sizeof(T) * sizeof(T) : 2 * bytes();
    void* grown = data_ == nullptr ? ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                   : ::mremap(data_, bytes(), wanted, MREMAP_MAYMOVE);
    if (grown == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(grown);
    at_ = data_ + used;
    end_ = data_ + wanted / sizeof(T);
  }

  T* data_ = nullptr;
  T* at_ = nullptr;
  T* ready_ = nullptr;  // end of the populated pages
  T* end_ = nullptr;
};

}  // namespace heddle::slice
