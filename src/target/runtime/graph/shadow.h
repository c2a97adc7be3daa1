#pragma once
// Shadow memory: a word for every granule of the address space. The first access to a part of the address space
// reserves the shadow of the whole part; the kernel provides the pages that are used. Any thread may use it at any
// time; words are read and written atomically.
#include <sys/mman.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstdint>

#include "runtime/memory/address_map.h"
#include "runtime/os/raw_syscall.h"

namespace heddle::runtime {

// A word that several threads read and write without tearing and without an order.
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
  static constexpr unsigned kPartBytesLog = 40;  // bytes of the program's memory per part
  static constexpr std::uint64_t kParts = std::uint64_t{1} << (47 - kPartBytesLog);

  void begin(unsigned granule_shift) { granule_shift_ = granule_shift; }
  // Also reserves the part of the stack. Returns false if the address space is too small.
  bool initialise(unsigned granule_shift) {
    begin(granule_shift);
    return reserve_for(__builtin_frame_address(0));
  }
  // Reserves the part that contains the address.
  bool reserve_for(const void* address) {
    return reserve(reinterpret_cast<std::uint64_t>(address) >> kPartBytesLog) != nullptr;
  }

  // Null: the part is not reserved, or is not the program's.
  [[gnu::always_inline]] SharedWord* find(std::uint64_t granule) const {
    const std::uint64_t part = part_of(granule);
    if (part >= kParts) [[unlikely]]
      return nullptr;
    SharedWord* origin = origins_[part].load(std::memory_order_relaxed);
    return origin == nullptr ? nullptr : origin + granule;
  }

  // The same for granules of eight bytes, without a shift, because the granule and its word have the same size. The
  // following words of the same page exist, too, also at the end of a part.
  [[gnu::always_inline]] SharedWord* find_word(std::uint64_t address) const {
    const std::uint64_t part = address >> kPartBytesLog;
    if (part >= kParts) [[unlikely]]
      return nullptr;
    SharedWord* origin = origins_[part].load(std::memory_order_relaxed);
    return origin == nullptr ? nullptr
                             : reinterpret_cast<SharedWord*>(reinterpret_cast<char*>(origin) + (address & ~7ull));
  }

  // Granules without a shadow share one word without a meaning.
  SharedWord& at(std::uint64_t granule) {
    if (SharedWord* word = find(granule)) [[likely]]
      return *word;
    if (part_of(granule) >= kParts) return nowhere_;
    SharedWord* origin = reserve(part_of(granule));
    return origin == nullptr ? nowhere_ : origin[granule];
  }

 private:
  [[gnu::always_inline]] std::uint64_t part_of(std::uint64_t granule) const {
    return granule >> (kPartBytesLog - granule_shift_);
  }

  [[gnu::noinline]] SharedWord* reserve(std::uint64_t part) {
    const std::uint64_t first = part << (kPartBytesLog - granule_shift_);
    const std::size_t size = (sizeof(SharedWord) << (kPartBytesLog - granule_shift_)) + kPageBytes;
    const long mapped =
        raw_syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped < 0 && mapped > -4096) return nullptr;
    raw_syscall(SYS_madvise, mapped, size, MADV_DONTDUMP);  // cores contain the program's memory only
    SharedWord* existing = nullptr;
    SharedWord* reserved = reinterpret_cast<SharedWord*>(mapped) - first;
    if (origins_[part].compare_exchange_strong(existing, reserved, std::memory_order_acq_rel)) return reserved;
    raw_syscall(SYS_munmap, mapped, size);  // another thread was first
    return existing;
  }

  std::atomic<SharedWord*> origins_[kParts] = {};  // per part: the address that the word of granule 0 would have
  unsigned granule_shift_ = 0;
  SharedWord nowhere_;
};

}  // namespace heddle::runtime
