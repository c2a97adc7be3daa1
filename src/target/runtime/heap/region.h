#pragma once
#include <cstddef>
#include <cstdint>

#include "runtime/heap/layout.h"

namespace heddle::runtime::heap {

// The address range of the heap and its tables: reserved once as a whole, made accessible from the front as it is
// needed.
class Region {
 public:
  // Halves what it asks for while the kernel refuses. False: not even kHeapBytesMin can be had.
  bool reserve();

  // Makes the first `units` units and their table rows accessible. False: there is no more.
  bool commit(std::size_t units);

 private:
  std::size_t reserved_units_ = 0;
  std::size_t committed_units_ = 0;
};

// Bytes from the first block on that are accessible. An address with a heap_offset() below has valid table rows.
[[gnu::visibility("hidden")]] extern std::size_t accessible_bytes;

// Every freed granule has a mark that says so, whatever its unit is: one look tells hooks by hand that memory is not
// freed. True until a block is freed that is too large to be marked; then the handler is called, and hooks must ask
// is_freed_memory().
[[gnu::visibility("hidden")]] extern bool all_marked;
void on_unmarked_memory(void (*handler)());

// These units are free now.
void mark_freed_units(std::uint32_t first, std::uint32_t count);
// Their marks are Mark::Never again. REQUIRES: they have the use that they had before.
void clear_marks(std::uint32_t first, std::uint32_t count);

// Gives the pages of these units back to the kernel: they read as zero from now on.
void discard_units(std::uint32_t first, std::uint32_t count);

// The first byte that is not zero in units that were discarded, nullptr when there is none. Does not bring pages in.
const std::byte* find_write_after_discard(std::uint32_t first, std::uint32_t count);

}  // namespace heddle::runtime::heap
