#pragma once
// The compact form of an access in the ring, which makes up nearly all of a recording: one word instead of a record of
// two (format/ring.h),
//
//   bits 0..12 low bits of the site, bits 13, 14 = 0, bit 15 = 1 (unlike every head), bits 16..63 address
//
// The low bits of the site select a slot of the compact dictionary. The slot holds the last full record of an access
// without a value whose site has these low bits; the compact word repeats that record, and for a range its length, with
// another address. Writer and reader update the dictionary by the same rule, so it is never transferred, but the ring
// must be read from its first word.
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

// True if the record with this head enters the compact dictionary.
constexpr bool is_introduction(std::uint64_t head) {
  const auto kind = static_cast<EventKind>(head & 0xff);
  return is_access(kind) && (head >> 8 & 0xff) == (is_range_access(kind) ? kHasValue : 0);
}

}  // namespace heddle::format
