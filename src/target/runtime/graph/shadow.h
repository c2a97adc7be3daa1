#pragma once
// A word for every granule of the address space: a few large stretches of memory that are reserved when an address in
// their part is first touched, and of which the system provides the pages that are used. Any thread may come at any
// time; a word is read and replaced at once.
#include <sys/mman.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstdint>

#include "runtime/os/raw_syscall.h"

namespace heddle::runtime {

// Reads and writes as a plain word would, without tearing.
class SharedWord {
 public:
  operator std::uint64_t() const { return word_.load(std::memory_order_relaxed); }
  SharedWord& operator=(std::uint64_t value) {
    word_.store(value, std::memory_order_relaxed);
    return *this;
  }

 private:
  std::atomic<std::uint64_t> word_{0};
};

class Shadow {
 public:
  static constexpr unsigned kPartBytesLog = 40;  // of the program's memory
  static constexpr std::uint64_t kParts = std::uint64_t{1} << (47 - kPartBytesLog);

  // Parts are reserved when they are first touched.
  void begin(unsigned granule_shift) { granule_shift_ = granule_shift; }
  // False: the address space is too small for it.
  bool initialise(unsigned granule_shift) {
    begin(granule_shift);
    return reserve_for(__builtin_frame_address(0));
  }
  // The whole part that the address is in.
  bool reserve_for(const void* address) {
    return reserve(reinterpret_cast<std::uint64_t>(address) >> kPartBytesLog) != nullptr;
  }

  // Null: that part has not been touched, or is none of the program's.
  [[gnu::always_inline]] SharedWord* find(std::uint64_t granule) const {
    const std::uint64_t part = part_of(granule);
    if (part >= kParts) [[unlikely]]
      return nullptr;
    SharedWord* origin = origins_[part].load(std::memory_order_relaxed);
    return origin == nullptr ? nullptr : origin + granule;
  }

  // The same for words of eight bytes, without a shift: where a granule and its word have the same size, so have
  // offsets. What follows it on the same page is there, too, also at the end of a part.
  [[gnu::always_inline]] SharedWord* find_word(std::uint64_t address) const {
    const std::uint64_t part = address >> kPartBytesLog;
    if (part >= kParts) [[unlikely]]
      return nullptr;
    SharedWord* origin = origins_[part].load(std::memory_order_relaxed);
    return origin == nullptr ? nullptr
                             : reinterpret_cast<SharedWord*>(reinterpret_cast<char*>(origin) + (address & ~7ull));
  }

  // What cannot be kept shares one word that means nothing.
  SharedWord& at(std::uint64_t granule) {
    if (SharedWord* word = find(granule)) [[likely]]
      return *word;
    if (part_of(granule) >= kParts) return nowhere_;
    SharedWord* origin = reserve(part_of(granule));
    return origin == nullptr ? nowhere_ : origin[granule];
  }

 private:
  static constexpr std::size_t kPageBytes = 4096;

  [[gnu::always_inline]] std::uint64_t part_of(std::uint64_t granule) const {
    return granule >> (kPartBytesLog - granule_shift_);
  }

  [[gnu::noinline]] SharedWord* reserve(std::uint64_t part) {
    const std::uint64_t first = part << (kPartBytesLog - granule_shift_);
    const std::size_t size = (sizeof(SharedWord) << (kPartBytesLog - granule_shift_)) + kPageBytes;
    const long mapped =
        raw_syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped < 0 && mapped > -4096) return nullptr;
    raw_syscall(SYS_madvise, mapped, size, MADV_DONTDUMP);  // a core is the program's
    SharedWord* there = nullptr;
    SharedWord* made = reinterpret_cast<SharedWord*>(mapped) - first;
    if (origins_[part].compare_exchange_strong(there, made, std::memory_order_acq_rel)) return made;
    raw_syscall(SYS_munmap, mapped, size);  // another thread was first
    return there;
  }

  std::atomic<SharedWord*> origins_[kParts] = {};  // where the word of granule 0 would be
  unsigned granule_shift_ = 0;
  SharedWord nowhere_;
};

}  // namespace heddle::runtime
