#pragma once
#include <cstddef>
#include <cstdint>

#include "runtime/heap/layout.h"

namespace heddle::runtime::heap {

// The address range of the heap and its tables. It is reserved once, and made accessible from the front on demand.
class Region {
 public:
  // Halves the size until the kernel accepts it. Returns false if the kernel refuses even kHeapBytesMin.
  bool reserve();

  // Makes the first `units` units and their table rows accessible. Returns false if that exceeds the reserved range or
  // the kernel refuses.
  bool commit(std::size_t units);

 private:
  std::size_t reserved_units_ = 0;
  std::size_t committed_units_ = 0;
};

// The number of accessible bytes. An address with a smaller heap_offset() has valid table rows.
[[gnu::visibility("hidden")]] extern std::size_t accessible_bytes;

// True while every freed granule has a freed mark, so that the assembly hooks need only the mark. Becomes false when a
// block is freed that is too large to be marked; then the handler is called, and hooks must call is_freed_memory().
[[gnu::visibility("hidden")]] extern bool all_marked;
void on_unmarked_memory(void (*handler)());

void mark_freed_units(std::uint32_t first, std::uint32_t count);
// Resets the marks to Mark::Never. REQUIRES: use_of() still has the previous use of the units.
void clear_marks(std::uint32_t first, std::uint32_t count);

// Returns the pages of the units to the kernel, so that they read as zero.
void discard_units(std::uint32_t first, std::uint32_t count);

// Calls the corruption handler for a byte of freed memory that was written. REQUIRES: the block is marked as freed.
void report_corruption(const void* address);

// The first byte that is not zero in discarded units; nullptr: none. Touches no page that is not resident.
const std::byte* find_write_after_discard(std::uint32_t first, std::uint32_t count);

}  // namespace heddle::runtime::heap
