#pragma once
// The sizes of small blocks: every multiple of a granule up to 1 KiB, then four sizes per doubling.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/heap/layout.h"

namespace heddle::runtime::heap {

inline constexpr std::size_t kLinearMax = 1024;
inline constexpr std::uint32_t kLinearClasses = kLinearMax / kGranuleBytes;
inline constexpr std::size_t kSmallMax = 112 << 10;  // larger blocks are LargeBlocks
inline constexpr std::uint32_t kClassCount = kLinearClasses + 27;
inline constexpr std::size_t kSlabBlocksMin = 8;

// Length of the quarantine: a freed block is reused only after this many blocks or bytes of its class were freed.
inline constexpr std::size_t kQuarantineBlocksMax = 256;
inline constexpr std::size_t kQuarantineBytesMax = 256 << 10;

// REQUIRES: size <= kSmallMax.
constexpr std::uint32_t class_of_size(std::size_t size) {
  const std::size_t last = size - (size != 0);
  if (size <= kLinearMax) return static_cast<std::uint32_t>(last / kGranuleBytes);
  const unsigned exponent = std::bit_width(last) - 1;
  return static_cast<std::uint32_t>(kLinearClasses + (exponent - 10) * 4 + ((last >> (exponent - 2)) & 3));
}

struct ClassShape {
  std::uint32_t block_bytes;
  std::uint32_t slab_units;
  std::uint32_t slab_blocks;
  std::uint32_t quarantine_blocks;  // a power of two
  std::uint64_t reciprocal;         // of block_bytes, scaled by 2^kReciprocalShift
};

inline constexpr unsigned kReciprocalShift = 40;

// The index of the block that contains an offset into its slab.
constexpr std::uint32_t block_index(std::uint64_t reciprocal, std::size_t slab_offset) {
  return static_cast<std::uint32_t>((slab_offset * reciprocal) >> kReciprocalShift);
}

constexpr ClassShape shape_of_class(std::uint32_t index) {
  std::size_t bytes = (index + 1) * kGranuleBytes;
  if (index >= kLinearClasses) {
    const std::uint32_t step = index - kLinearClasses;
    bytes = (kLinearMax + (step % 4 + 1) * (kLinearMax / 4)) << (step / 4);
  }
  std::size_t units = 1;
  if (bytes > kUnitBytes / kSlabBlocksMin) units = (bytes * kSlabBlocksMin + kUnitBytes - 1) / kUnitBytes;
  const std::size_t by_bytes = kQuarantineBytesMax / bytes;
  return {
      .block_bytes = static_cast<std::uint32_t>(bytes),
      .slab_units = static_cast<std::uint32_t>(units),
      .slab_blocks = static_cast<std::uint32_t>(units * kUnitBytes / bytes),
      .quarantine_blocks =
          static_cast<std::uint32_t>(std::bit_floor(by_bytes < kQuarantineBlocksMax ? by_bytes : kQuarantineBlocksMax)),
      .reciprocal = ((std::uint64_t{1} << kReciprocalShift) + bytes - 1) / bytes,
  };
}

inline constexpr auto kClassShapes = [] {
  std::array<ClassShape, kClassCount> shapes{};
  for (std::uint32_t i = 0; i < kClassCount; ++i) shapes[i] = shape_of_class(i);
  return shapes;
}();
static_assert(kClassShapes[kClassCount - 1].block_bytes == kSmallMax);
static_assert(class_of_size(kSmallMax) == kClassCount - 1);

}  // namespace heddle::runtime::heap
