#pragma once
// The short form of an access in the ring: nearly all that a recorded run writes. One word instead of the record of two
// in format/ring.h,
//
//   bits 0..12 low bits of the site, bits 13, 14 = 0, bit 15 = 1 (no head has it), bits 16..63 address
//
// and it stands for the same record as the last long one whose site has these low bits, of those that tell no value; a
// range has its length again. So both sides know at any time which sites may be told in short, without a table of
// sites: whoever reads from the first word on has seen the long form first.
#include <cstddef>
#include <cstdint>

#include "format/ring.h"

namespace heddle::format {

inline constexpr std::size_t kCompactSlots = std::size_t{1} << 13;
inline constexpr std::uint64_t kCompactBit = std::uint64_t{1} << 15;
inline constexpr unsigned kCompactAddressShift = 16;

constexpr bool is_compact(std::uint64_t word) { return (word & kCompactBit) != 0; }
constexpr std::size_t compact_slot(std::uint32_t site) { return site % kCompactSlots; }
constexpr std::size_t compact_slot_of(std::uint64_t word) { return word % kCompactSlots; }
constexpr std::uint64_t compact_address(std::uint64_t word) { return word >> kCompactAddressShift; }

// REQUIRES: fits_compact(address).
constexpr std::uint64_t compact_word(std::size_t slot, std::uint64_t address) {
  return address << kCompactAddressShift | kCompactBit | slot;
}
constexpr bool fits_compact(std::uint64_t address) { return address >> (64 - kCompactAddressShift) == 0; }

// Whether later accesses of this head's site may be told in short.
constexpr bool is_introduction(std::uint64_t head) {
  const auto kind = static_cast<EventKind>(head & 0xff);
  return is_access(kind) && (head >> 8 & 0xff) == (is_range_access(kind) ? kHasValue : 0);
}

}  // namespace heddle::format
