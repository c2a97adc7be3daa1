#pragma once
// Where everything lies. The heap and its tables are at addresses known at compile time, the same in every run; a table
// is indexed by the distance of an address from the first block. Nothing is kept inside the blocks or beside them, so
// that a program that writes past a block damages its own data only.
#include <cstddef>
#include <cstdint>

#include "runtime/memory/address_map.h"

namespace heddle::runtime::heap {

// Blocks begin and end at granules.
inline constexpr std::size_t kGranuleBytes = 16;

// The heap is handed out in units: a slab of equal small blocks is one or a few units, a large block as many as it
// needs.
inline constexpr unsigned kUnitShift = 16;
inline constexpr std::size_t kUnitBytes = std::size_t{1} << kUnitShift;
inline constexpr std::size_t kUnitGranules = kUnitBytes / kGranuleBytes;
inline constexpr std::uint32_t kNoUnit = 0xffffffffu;

inline constexpr std::size_t kHeapBytesMax = std::size_t{1} << 40;
inline constexpr std::size_t kHeapBytesMin = std::size_t{1} << 28;
inline constexpr std::size_t kUnitsMax = kHeapBytesMax / kUnitBytes;

// What a granule is. Of units that are no slabs only this is true: if one is freed, so say its marks, unless it was
// part of a very large block (all_marked).
enum class Mark : std::uint8_t {
  Never = 0,  // not handed out since its slab was made
  LiveFirst = 1,
  LiveRest = 2,
  FreedNever = 0x80,  // not handed out, and its unit is free
  FreedFirst = 0x81,
  FreedRest = 0x82,
};
constexpr bool is_freed(Mark mark) { return (static_cast<std::uint8_t>(mark) & 0x80) != 0; }

// What a unit is. Values between Never and Large: a slab, of the size class one below.
enum class UnitUse : std::uint8_t {
  Never = 0,
  Large = 0xfd,
  LargeFreed = 0xfe,  // not handed out again: Unit says which block it was
  Returned = 0xff,    // was a slab whose blocks were all free
};
constexpr bool is_slab(UnitUse use) { return use != UnitUse::Never && use < UnitUse::Large; }
constexpr bool is_freed(UnitUse use) { return use >= UnitUse::LargeFreed; }
constexpr UnitUse slab_use(std::uint32_t size_class) { return static_cast<UnitUse>(size_class + 1); }
constexpr std::uint32_t slab_class(UnitUse use) { return static_cast<std::uint32_t>(use) - 1; }

// What the first unit of a run, a slab or a large block knows of it.
struct Unit {
  std::uint32_t run_units;  // of a free run; in its last unit too; in all others 0
  std::uint32_t next;       // of a free run, or of a slab with free blocks
  std::uint32_t previous;
  // Of a slab. A block is free here when nobody has it: not the program, not the quarantine, not the
  // size class's current word.
  std::uint32_t free_blocks;
  std::uint32_t first_word;  // no bit is set in a word before it
  // Of a large block.
  std::uint64_t requested_bytes;
  std::uint64_t ordinal;
  std::uint64_t free_words[kUnitGranules / 64];
};

// What is remembered of a small block, live or freed: the ordinal of its allocation, and how many bytes of it were not
// asked for.
struct BlockRecord {
  std::uint64_t ordinal : 47;
  std::uint64_t slack : 17;
};
static_assert(sizeof(BlockRecord) == 8);

inline constexpr std::size_t kRecordBytesPerUnit = kUnitGranules * sizeof(BlockRecord);

// Not at the very begin of the heap's place: the shadow memory of AddressSanitizer reaches up to 0x1000'7fff'8000.
inline constexpr std::uintptr_t kBlocksBegin = kHeapBegin + (std::size_t{1} << 40);
inline constexpr std::uintptr_t kMarksBegin = kBlocksBegin + kHeapBytesMax;
inline constexpr std::uintptr_t kRecordsBegin = kMarksBegin + kHeapBytesMax / kGranuleBytes;
inline constexpr std::uintptr_t kUnitsBegin = kRecordsBegin + kUnitsMax * kRecordBytesPerUnit;
inline constexpr std::uintptr_t kHeadsBegin = kUnitsBegin + kUnitsMax * sizeof(Unit);
inline constexpr std::uintptr_t kUsesBegin = kHeadsBegin + kUnitsMax * sizeof(std::uint32_t);

static_assert(kUsesBegin + kUnitsMax * sizeof(UnitUse) <= kStacksBegin);

// Distance from the first block; beyond every heap for an address outside.
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
// The first unit of the slab or large block that this one is, or last was, part of. Like use_of() apart from the rest,
// so that a block of many units that is hardly used costs little.
inline std::uint32_t& head_of(std::uint32_t unit) { return reinterpret_cast<std::uint32_t*>(kHeadsBegin)[unit]; }
inline UnitUse& use_of(std::uint32_t unit) { return reinterpret_cast<UnitUse*>(kUsesBegin)[unit]; }
inline BlockRecord* slab_records(std::uint32_t head) {
  return reinterpret_cast<BlockRecord*>(kRecordsBegin + head * kRecordBytesPerUnit);
}

}  // namespace heddle::runtime::heap
