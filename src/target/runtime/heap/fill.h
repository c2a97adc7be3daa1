#pragma once
// Loops over whole granules, in place of memset and memcpy, because the heap is used before these are relocated.
#include <cstddef>
#include <cstdint>

#include "runtime/heap/layout.h"

namespace heddle::runtime::heap {

// The value of every byte of freed memory: as a word neither a valid address nor a usual number.
inline constexpr std::uint8_t kFreedByte = 0xde;
inline constexpr std::uint64_t kFreedWord = 0x0101'0101'0101'0101u * kFreedByte;

using Granule = std::uint64_t __attribute__((vector_size(kGranuleBytes), may_alias));

// REQUIRES for all: addresses and `bytes` are multiples of the granule, `bytes` > 0.
inline void fill_granules(std::byte* begin, std::size_t bytes, std::uint64_t word) {
  const Granule value = {word, word};
  Granule* granule = reinterpret_cast<Granule*>(begin);
  Granule* const end = reinterpret_cast<Granule*>(begin + bytes);
  do *granule++ = value;
  while (granule != end);
}

// Sets the bits of `word`.
inline void add_to_granules(std::byte* begin, std::size_t bytes, std::uint64_t word) {
  const Granule value = {word, word};
  Granule* granule = reinterpret_cast<Granule*>(begin);
  Granule* const end = reinterpret_cast<Granule*>(begin + bytes);
  do *granule++ |= value;
  while (granule != end);
}

inline void copy_granules(std::byte* to, const std::byte* from, std::size_t bytes) {
  Granule* target = reinterpret_cast<Granule*>(to);
  const Granule* source = reinterpret_cast<const Granule*>(from);
  const Granule* const end = reinterpret_cast<const Granule*>(from + bytes);
  do *target++ = *source++;
  while (source != end);
}

inline bool granules_hold(const std::byte* begin, std::size_t bytes, std::uint64_t word) {
  const Granule value = {word, word};
  Granule difference = {0, 0};
  const Granule* granule = reinterpret_cast<const Granule*>(begin);
  const Granule* const end = reinterpret_cast<const Granule*>(begin + bytes);
  do difference |= *granule++ ^ value;
  while (granule != end);
  return (difference[0] | difference[1]) == 0;
}

constexpr std::uint64_t word_of(Mark mark) { return 0x0101'0101'0101'0101u * static_cast<std::uint8_t>(mark); }

// REQUIRES: count >= 8.
inline void mark_long_block(Mark* marks, std::size_t count, Mark first, Mark rest) {
  const std::uint64_t word = word_of(rest);
  for (std::size_t i = 0; i < count - 8; i += 8) __builtin_memcpy(marks + i, &word, 8);
  __builtin_memcpy(marks + count - 8, &word, 8);  // overlaps instead of a loop over the rest
  marks[0] = first;
}

// Operations on a small block of kHalf to 2 * kHalf granules: its first kHalf and its last kHalf granules cover the
// block without a loop. The sizes of consecutive blocks vary, so every loop with a varying count would cost a
// mispredicted branch.
template <std::size_t kHalf>
struct HalvedBlock {
  static void fill(std::byte* begin, std::size_t bytes, std::uint64_t word) {
    const Granule value = {word, word};
    Granule* const front = reinterpret_cast<Granule*>(begin);
    Granule* const back = reinterpret_cast<Granule*>(begin + bytes) - kHalf;
    for (std::size_t i = 0; i < kHalf; ++i) front[i] = back[i] = value;
  }
  static bool holds(const std::byte* begin, std::size_t bytes, std::uint64_t word) {
    const Granule value = {word, word};
    const Granule* const front = reinterpret_cast<const Granule*>(begin);
    const Granule* const back = reinterpret_cast<const Granule*>(begin + bytes) - kHalf;
    Granule difference = {0, 0};
    for (std::size_t i = 0; i < kHalf; ++i) difference |= (front[i] ^ value) | (back[i] ^ value);
    return (difference[0] | difference[1]) == 0;
  }
  static void mark(Mark* marks, std::size_t count, Mark first, Mark rest) {
    const std::uint64_t word = word_of(rest);
    __builtin_memcpy(marks, &word, kHalf);
    __builtin_memcpy(marks + count - kHalf, &word, kHalf);
    marks[0] = first;
  }
};

struct LongBlock {
  static void fill(std::byte* begin, std::size_t bytes, std::uint64_t word) { fill_granules(begin, bytes, word); }
  static bool holds(const std::byte* begin, std::size_t bytes, std::uint64_t word) {
    return granules_hold(begin, bytes, word);
  }
  static void mark(Mark* marks, std::size_t count, Mark first, Mark rest) {
    mark_long_block(marks, count, first, rest);
  }
};

// Calls `function` with the operations for blocks of this size.
template <typename Function>
[[gnu::always_inline]] inline void by_block_size(std::size_t bytes, Function function) {
  if (bytes <= 2 * kGranuleBytes) return function(HalvedBlock<1>{});
  if (bytes <= 4 * kGranuleBytes) return function(HalvedBlock<2>{});
  if (bytes <= 8 * kGranuleBytes) return function(HalvedBlock<4>{});
  if (bytes <= 16 * kGranuleBytes) return function(HalvedBlock<8>{});
  function(LongBlock{});
}

}  // namespace heddle::runtime::heap
