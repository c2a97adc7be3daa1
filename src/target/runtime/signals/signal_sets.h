#pragma once
// libc's 1024-bit sets and the kernel's 64-bit words.
#include <errno.h>
#include <signal.h>

#include <cstdint>

namespace heddle::runtime {

inline std::uint64_t to_word(const sigset_t& set) {
  std::uint64_t word;
  __builtin_memcpy(&word, &set, sizeof word);
  return word;
}

inline sigset_t to_set(std::uint64_t word) {
  sigset_t set{};
  __builtin_memcpy(&set, &word, sizeof word);
  return set;
}

// From -errno, as the kernel says it, to -1 and errno; 0 and more pass.
inline int fail_with(long result) {
  if (result >= 0) return static_cast<int>(result);
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace heddle::runtime
