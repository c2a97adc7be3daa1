#pragma once
// libc's 1024-bit sets and the kernel's 64-bit words.
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

}  // namespace heddle::runtime
