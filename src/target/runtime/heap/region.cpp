#include "runtime/heap/region.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <iterator>

#include "runtime/heap/fill.h"
#include "runtime/os/raw_syscall.h"

namespace heddle::runtime::heap {

constinit std::size_t accessible_bytes = 0;
constinit bool all_marked = true;

namespace {

constexpr std::size_t kCommitUnitsMin = (1 << 20) / kUnitBytes;

// Larger blocks are not marked when they are freed: the marks would take a sixteenth of the size, even if the program
// touched hardly a page of the block.
constexpr std::uint32_t kMarkedUnitsMax = (1 << 30) / kUnitBytes;
constinit void (*unmarked_memory_handler)() = nullptr;
// The kernel clears the marks of more units than this.
constexpr std::uint32_t kUnitsClearedMax = 16;

// The result of mincore. Static, because it is too large for the program's stack.
constinit unsigned char presence[4096]{};

struct Table {
  std::uintptr_t begin;
  std::size_t bytes_per_unit;
};

constexpr Table kTables[] = {
    {kBlocksBegin, kUnitBytes},  {kMarksBegin, kUnitGranules * sizeof(Mark)}, {kRecordsBegin, kRecordBytesPerUnit},
    {kUnitsBegin, sizeof(Unit)}, {kHeadsBegin, sizeof(std::uint32_t)},        {kUsesBegin, sizeof(UnitUse)},
};

std::byte* marks_of_unit(std::uint32_t unit) { return reinterpret_cast<std::byte*>(mark_of(unit_begin(unit))); }

bool map_nothing_at(std::uintptr_t begin, std::size_t bytes) {
  const long result = raw_syscall(SYS_mmap, begin, bytes, PROT_NONE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (result == static_cast<long>(begin)) return true;
  // A kernel without MAP_FIXED_NOREPLACE treats the address as a hint.
  if (result > 0) raw_syscall(SYS_munmap, result, bytes);
  return false;
}

bool reserve_tables(std::size_t units) {
  std::size_t done = 0;
  for (const Table& table : kTables) {
    if (!map_nothing_at(table.begin, round_up(units * table.bytes_per_unit, kPageBytes))) break;
    ++done;
  }
  if (done == std::size(kTables)) return true;
  for (std::size_t i = 0; i < done; ++i) {
    raw_syscall(SYS_munmap, kTables[i].begin, round_up(units * kTables[i].bytes_per_unit, kPageBytes));
  }
  return false;
}

}  // namespace

bool Region::reserve() {
  for (std::size_t bytes = kHeapBytesMax; bytes >= kHeapBytesMin; bytes /= 2) {
    if (reserve_tables(bytes / kUnitBytes)) {
      reserved_units_ = bytes / kUnitBytes;
      return true;
    }
  }
  return false;
}

bool Region::commit(std::size_t units) {
  if (units <= committed_units_) return true;
  if (units > reserved_units_) return false;
  // Commits at least a quarter more, so that the number of system calls grows with the logarithm of the heap's size.
  const std::size_t ample = committed_units_ + committed_units_ / 4 + kCommitUnitsMin;
  std::size_t target = units > ample ? units : ample;
  if (target > reserved_units_) target = reserved_units_;
  for (const Table& table : kTables) {
    const std::size_t from = round_up(committed_units_ * table.bytes_per_unit, kPageBytes);
    const std::size_t to = round_up(target * table.bytes_per_unit, kPageBytes);
    if (from == to) continue;
    if (raw_syscall(SYS_mprotect, table.begin + from, to - from, PROT_READ | PROT_WRITE) != 0) return false;
  }
  committed_units_ = target;
  accessible_bytes = target * kUnitBytes;
  return true;
}

void on_unmarked_memory(void (*handler)()) { unmarked_memory_handler = handler; }

void mark_freed_units(std::uint32_t first, std::uint32_t count) {
  if (count > kMarkedUnitsMax) {
    all_marked = false;
    if (unmarked_memory_handler != nullptr) unmarked_memory_handler();
    return;
  }
  // Setting only the freed bit preserves the starts of blocks.
  add_to_granules(marks_of_unit(first), count * kUnitGranules * sizeof(Mark), word_of(Mark::FreedNever));
}

void clear_marks(std::uint32_t first, std::uint32_t count) {
  if (count > kUnitsClearedMax &&
      raw_syscall(SYS_madvise, marks_of_unit(first), count * kUnitGranules * sizeof(Mark), MADV_DONTNEED) == 0)
    return;
  for (std::uint32_t unit = first; unit != first + count; ++unit) {
    // The marks of a unit that was never used are 0.
    if (use_of(unit) != UnitUse::Never) fill_granules(marks_of_unit(unit), kUnitGranules * sizeof(Mark), 0);
  }
}

void discard_units(std::uint32_t first, std::uint32_t count) {
  const std::size_t bytes = count * kUnitBytes;
  if (raw_syscall(SYS_madvise, unit_begin(first), bytes, MADV_DONTNEED) == 0) return;
  fill_granules(unit_begin(first), bytes, 0);  // locked pages cannot be discarded
}

const std::byte* find_write_after_discard(std::uint32_t first, std::uint32_t count) {
  const std::byte* const end = unit_begin(first) + count * kUnitBytes;
  for (const std::byte* begin = unit_begin(first); begin < end;) {
    std::size_t pages = static_cast<std::size_t>(end - begin) / kPageBytes;
    if (pages > sizeof(presence)) pages = sizeof(presence);
    if (raw_syscall(SYS_mincore, begin, pages * kPageBytes, presence) != 0) return nullptr;
    for (std::size_t i = 0; i < pages; ++i, begin += kPageBytes) {
      if ((presence[i] & 1) == 0 || granules_hold(begin, kPageBytes, 0)) continue;
      while (*begin == std::byte{0}) ++begin;
      return begin;
    }
  }
  return nullptr;
}

}  // namespace heddle::runtime::heap
