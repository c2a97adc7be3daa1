#pragma once
// The allocator that replaces malloc in a controlled program. The address of every block depends only on the previous
// calls, so that runs of one schedule have the same addresses regardless of what the kernel randomises.
//
// Small blocks are in slabs of one size class (slabs.h), larger ones have pages of their own (large_blocks.h); both
// take their memory from runs of 64 KiB units (runs.h). Freed small blocks are filled with a pattern, freed large ones
// lose their pages; both are marked and stay in quarantine before they are reused. The marks therefore show accesses to
// freed memory, and changed contents show writes that the hooks did not observe.
//
// INVARIANT: only the thread that has the turn calls the heap. It has no locks, no atomics and no thread-local storage,
// so that it works before libc does. All state is private memory: a copy of the process has a copy of the heap.
#include <cstddef>
#include <cstdint>

#include "runtime/heap/early.h"
#include "runtime/heap/layout.h"
#include "runtime/heap/region.h"

namespace heddle::runtime::heap {

// Reserves the heap's addresses; false if it fails. Without it, allocations use early_allocate().
bool initialise();

// All return nullptr if there is not enough memory or the size is invalid, and leave errno unchanged. Blocks are
// aligned to 16 bytes. Fresh memory is zero, reused memory holds the freed pattern.
void* allocate(std::size_t size);
void* allocate_zeroed(std::size_t count, std::size_t size);
// REQUIRES: `alignment` is a power of two.
void* allocate_aligned(std::size_t alignment, std::size_t size);

enum class FreeProblem : std::uint8_t {
  None,
  DoubleFree,
  NotABlock,  // in the heap, but not the start of a block
  Foreign,    // not in the heap
};

// The problem that release(block) would report. nullptr is valid.
FreeProblem check_release(const void* block);

// Has no effect if it reports a problem.
FreeProblem release(void* block);

// Like realloc: nullptr allocates; size 0 releases and returns nullptr. The block is unchanged if there is not enough
// memory. REQUIRES: check_release(block) finds no problem.
void* reallocate(void* block, std::size_t size);

// REQUIRES: `block` is a live block.
std::size_t usable_size(const void* block);

// True if the address belongs to the heap, in use or not, or to an early block.
bool owns(const void* address);

enum class BlockState : std::uint8_t { Never, Live, Freed };

struct BlockInfo {
  const void* begin;            // nullptr: unknown
  std::size_t requested_bytes;  // of the last allocation
  std::uint64_t ordinal;        // of the last allocation; the first of a run is 1, early ones are 0
  BlockState state;
};

// The block that contains the address, or that last contained it.
BlockInfo find_block(const void* address);

// True if the memory was freed and not reused. On the path of every armed access.
inline bool is_freed_memory(const void* address) {
  if (heap_offset(address) >= accessible_bytes) return false;
  const UnitUse use = use_of(unit_of(address));
  return is_slab(use) ? is_freed(*mark_of(address)) : is_freed(use);
}

// Called when memory that is about to be reused was written after it was freed, with its block and the first byte that
// differs. The handler must not allocate.
using CorruptionHandler = void (*)(const BlockInfo& block, const void* address);
void on_corruption(CorruptionHandler handler);

}  // namespace heddle::runtime::heap
