#pragma once
// The allocator that takes malloc's place inside a controlled program. The address of every block is a function of the
// calls made so far and of nothing else, so that runs with the same schedule have the same addresses, whatever the
// kernel randomises.
//
// Only the thread that has the turn may call: there are no locks, no atomics and no thread-local storage in here, so
// that it also works before libc does. All state is plain private memory: a copy of the process has a copy of the heap.
#include <cstddef>
#include <cstdint>

#include "runtime/heap/early.h"
#include "runtime/heap/layout.h"
#include "runtime/heap/region.h"

namespace heddle::runtime::heap {

// Reserves the heap's addresses. Allocations before it (or if it fails: false) come from early_allocate().
bool initialise();

// All return nullptr when there is no room or the size is absurd, and leave errno alone. Blocks are aligned to 16
// bytes. Fresh memory is zero, reused memory holds the freed pattern.
void* allocate(std::size_t size);
void* allocate_zeroed(std::size_t count, std::size_t size);
// REQUIRES: `alignment` is a power of two.
void* allocate_aligned(std::size_t alignment, std::size_t size);

enum class FreeProblem : std::uint8_t {
  None,
  DoubleFree,
  NotABlock,  // in the heap, but not where a block begins
  Foreign,    // not in the heap
};

// What would be wrong with releasing `block`. nullptr is fine.
FreeProblem check_release(const void* block);

// Does nothing when there is a problem.
FreeProblem release(void* block);

// As realloc: from nullptr it allocates; to size 0 it releases and returns nullptr. The block stays as it is when there
// is no room. REQUIRES: check_release(block) finds no problem.
void* reallocate(void* block, std::size_t size);

// REQUIRES: `block` is a live block.
std::size_t usable_size(const void* block);

// Whether the address is the heap's, in use or not; early blocks are included.
bool owns(const void* address);

enum class BlockState : std::uint8_t { Never, Live, Freed };

struct BlockInfo {
  const void* begin;            // nullptr: not known
  std::size_t requested_bytes;  // of the last allocation there
  std::uint64_t ordinal;        // of the last allocation there; the first in a run is 1, early ones are 0
  BlockState state;
};

// The block that an address is in or was last in.
BlockInfo find_block(const void* address);

// Freed and not handed out again. On the path of every armed access.
inline bool is_freed_memory(const void* address) {
  if (heap_offset(address) >= accessible_bytes) return false;
  const UnitUse use = use_of(unit_of(address));
  return is_slab(use) ? is_freed(*mark_of(address)) : is_freed(use);
}

// Called when memory about to be reused shows that it was written to after it was freed: its block, and the first byte
// that differs. The handler must not allocate.
using CorruptionHandler = void (*)(const BlockInfo& block, const void* address);
void on_corruption(CorruptionHandler handler);

}  // namespace heddle::runtime::heap
