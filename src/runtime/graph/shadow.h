#pragma once
// A word for every granule of the address space: a directory, and blocks that are made when they are first touched. Any
// thread may come at any time; a word is read and replaced at once.
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
  std::atomic<std::uint64_t> word_;
};

class Shadow {
 public:
  // False: the address space is too small for it.
  bool initialise(unsigned granule_shift) {
    block_bits_ = kBlockBytesLog - granule_shift;
    directory_ = static_cast<std::atomic<SharedWord*>*>(map(sizeof(SharedWord*) << kDirectoryBits));
    return directory_ != nullptr;
  }

  // What cannot be kept shares one word that means nothing.
  [[gnu::always_inline]] SharedWord& at(std::uint64_t granule) {
    const std::uint64_t number = granule >> block_bits_;
    if (number >> kDirectoryBits != 0) [[unlikely]] return nowhere_;
    SharedWord* block = directory_[number].load(std::memory_order_acquire);
    if (block == nullptr) [[unlikely]] block = make_block(number);
    return block == nullptr ? nowhere_ : block[granule & ((std::uint64_t{1} << block_bits_) - 1)];
  }

 private:
  static constexpr unsigned kBlockBytesLog = 22;  // of the program's memory
  static constexpr unsigned kDirectoryBits = 47 - kBlockBytesLog;

  static void* map(std::size_t size) {
    const long mapped = raw_syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return mapped < 0 && mapped > -4096 ? nullptr : reinterpret_cast<void*>(mapped);
  }

  [[gnu::noinline]] SharedWord* make_block(std::uint64_t number) {
    const std::size_t size = sizeof(SharedWord) << block_bits_;
    auto* made = static_cast<SharedWord*>(map(size));
    if (made == nullptr) return nullptr;
    SharedWord* there = nullptr;
    if (directory_[number].compare_exchange_strong(there, made, std::memory_order_acq_rel)) return made;
    raw_syscall(SYS_munmap, made, size);  // another thread was first
    return there;
  }

  std::atomic<SharedWord*>* directory_ = nullptr;
  unsigned block_bits_ = 0;
  SharedWord nowhere_;
};

}  // namespace heddle::runtime
