#pragma once
// The addresses of the heap and its tables, which are compile-time constants and the same in every run. A table is
// indexed by the distance of an address from the first block. Blocks have no headers, so that a program that writes
// past a block damages only its own data.
#include <cstddef>
#include <cstdint>

#include "runtime/memory/address_map.h"

namespace heddle::runtime::heap {

// Blocks begin and end at granule boundaries.
inline constexpr std::size_t kGranuleBytes = 16;

// The heap is allocated in units: a slab of equal small blocks has one or a few, a large block any number.
inline constexpr unsigned kUnitShift = 16;
inline constexpr std::size_t kUnitBytes = std::size_t{1} << kUnitShift;
inline constexpr std::size_t kUnitGranules = kUnitBytes / kGranuleBytes;
inline constexpr std::uint32_t kNoUnit = 0xffffffffu;

inline constexpr std::size_t kHeapBytesMax = std::size_t{1} << 40;
inline constexpr std::size_t kHeapBytesMin = std::size_t{1} << 28;
inline constexpr std::size_t kUnitsMax = kHeapBytesMax / kUnitBytes;

// The state of a granule. In units that are not slabs the marks show only that a unit is free, and not even that for
// very large blocks (all_marked).
enum class Mark : std::uint8_t {
  Never = 0,  // not allocated since the slab was created
  LiveFirst = 1,
  LiveRest = 2,
  FreedNever = 0x80,  // never allocated, and its unit is free
  FreedFirst = 0x81,
  FreedRest = 0x82,
};
constexpr bool is_freed(Mark mark) { return (static_cast<std::uint8_t>(mark) & 0x80) != 0; }

// The use of a unit. A value between Never and Large is a slab of size class `value - 1`.
enum class UnitUse : std::uint8_t {
  Never = 0,
  Large = 0xfd,
  LargeFreed = 0xfe,  // not reused: Unit still describes the block
  Returned = 0xff,    // the unit of a former slab whose blocks were all free
};
constexpr bool is_slab(UnitUse use) { return use != UnitUse::Never && use < UnitUse::Large; }
constexpr bool is_freed(UnitUse use) { return use >= UnitUse::LargeFreed; }
constexpr UnitUse slab_use(std::uint32_t size_class) { return static_cast<UnitUse>(size_class + 1); }
constexpr std::uint32_t slab_class(UnitUse use) { return static_cast<std::uint32_t>(use) - 1; }

// Describes a free run, a slab or a large block, in the row of its first unit.
struct Unit {
  std::uint32_t run_units;  // of a free run, also in its last unit; 0 in all other units
  std::uint32_t next;       // of a free run, or of a slab with free blocks
  std::uint32_t previous;
  // Of a slab. Free blocks are those outside the program, the quarantine and the size class's current word.
  std::uint32_t free_blocks;
  std::uint32_t first_word;  // all words before it are 0
  // Of a large block.
  std::uint64_t requested_bytes;
  std::uint64_t ordinal;
  std::uint64_t free_words[kUnitGranules / 64];
};

// The record of a small block, live or freed: the ordinal of its allocation and the number of bytes beyond the
// requested size.
struct BlockRecord {
  std::uint64_t ordinal : 47;
  std::uint64_t slack : 17;
};
static_assert(sizeof(BlockRecord) == 8);

inline constexpr std::size_t kRecordBytesPerUnit = kUnitGranules * sizeof(BlockRecord);

// Not at the start of the heap's range, because the shadow memory of AddressSanitizer ends at 0x1000'7fff'8000.
inline constexpr std::uintptr_t kBlocksBegin = kHeapBegin + (std::size_t{1} << 40);
inline constexpr std::uintptr_t kMarksBegin = kBlocksBegin + kHeapBytesMax;
inline constexpr std::uintptr_t kRecordsBegin = kMarksBegin + kHeapBytesMax / kGranuleBytes;
inline constexpr std::uintptr_t kUnitsBegin = kRecordsBegin + kUnitsMax * kRecordBytesPerUnit;
inline constexpr std::uintptr_t kHeadsBegin = kUnitsBegin + kUnitsMax * sizeof(Unit);
inline constexpr std::uintptr_t kUsesBegin = kHeadsBegin + kUnitsMax * sizeof(std::uint32_t);

static_assert(kUsesBegin + kUnitsMax * sizeof(UnitUse) <= kStacksBegin);

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Distance from the first block; larger than every heap for an address outside.
inline std::size_t heap_offset(const void* address) { return reinterpret_cast<std::uintptr_t>(address) - kBlocksBegin; }
inline std::uint32_t unit_of(const void* address) {
  return static_cast<std::uint32_t>(heap_offset(address) >> kUnitShift);
}
inline std::byte* unit_begin(std::uint32_t unit) {
  return reinterpret_cast<std::byte*>(kBlocksBegin + (static_cast<std::uintptr_t>(unit) << kUnitShift));
}
inline Mark* mark_of(const void* address) {
  return reinterpret_cast<Mark*>(kMarksBegin + heap_offset(address) / kGranuleBytes);
}
inline Unit& unit_at(std::uint32_t unit) { return reinterpret_cast<Unit*>(kUnitsBegin)[unit]; }
// The first unit of the slab or large block that contains this unit, or last contained it. A table of its own, like
// use_of(), so that a large, hardly used block needs little memory.
inline std::uint32_t& head_of(std::uint32_t unit) { return reinterpret_cast<std::uint32_t*>(kHeadsBegin)[unit]; }
inline UnitUse& use_of(std::uint32_t unit) { return reinterpret_cast<UnitUse*>(kUsesBegin)[unit]; }
inline BlockRecord* slab_records(std::uint32_t head) {
  return reinterpret_cast<BlockRecord*>(kRecordsBegin + head * kRecordBytesPerUnit);
}

}  // namespace heddle::runtime::heap
