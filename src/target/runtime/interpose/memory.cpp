// The malloc family: threads under control use the deterministic heap, all other threads glibc's. Allocation is never a
// scheduling point, because libc allocates while it holds locks of its own.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "runtime/control/failure.h"
#include "runtime/heap/heap.h"
#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"

extern "C" {
void* __libc_malloc(std::size_t size);
void __libc_free(void* block);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace heddle::runtime {
namespace {

void note_allocation(const void* block, std::size_t size) {
  if (hot.record && block != nullptr)
    ring_write(format::ring_head(EventKind::Alloc, format::kHasValue, 0, 0), reinterpret_cast<std::uint64_t>(block),
               size);
}

void note_release(const void* block) {
  if (hot.record) ring_write(format::ring_head(EventKind::Free, 0, 0, 0), reinterpret_cast<std::uint64_t>(block));
}

void* checked(void* block, std::size_t size) {
  if (block == nullptr) errno = ENOMEM;
  note_allocation(block, size);
  return block;
}

void refuse_release(heap::FreeProblem problem, const void* block) {
  switch (problem) {
    case heap::FreeProblem::None:
      return;
    case heap::FreeProblem::DoubleFree:
      fail_use_after_free(block, "a block is freed twice");
    case heap::FreeProblem::NotABlock:
      fail_misuse("free of an address that is not the start of a block", block);
    case heap::FreeProblem::Foreign:
      fail_misuse("free of an address that malloc did not return", block);
  }
}

void release(void* block) {
  note_release(block);
  refuse_release(heap::release(block), block);
}

bool is_power_of_two(std::size_t value) { return value != 0 && (value & (value - 1)) == 0; }

void* allocate_aligned(std::size_t alignment, std::size_t size) {
  return checked(heap::allocate_aligned(alignment, size), size);
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE void* malloc(std::size_t size) {
  if (!controlled()) return __libc_malloc(size);
  return checked(heap::allocate(size), size);
}

HEDDLE_INTERPOSE void free(void* block) {
  if (block == nullptr) return;
  if (!heap::owns(block)) return __libc_free(block);
  // A forked child continues natively, possibly with several threads, which the heap does not support: the block leaks.
  if (controlled()) release(block);
}

HEDDLE_INTERPOSE void* calloc(std::size_t count, std::size_t size) {
  if (!controlled()) return __libc_calloc(count, size);
  return checked(heap::allocate_zeroed(count, size), count * size);
}

HEDDLE_INTERPOSE void* realloc(void* block, std::size_t size) {
  const bool ours = block != nullptr && heap::owns(block);
  if (!controlled()) {
    if (!ours) return __libc_realloc(block, size);
    void* moved = __libc_malloc(size);
    const std::size_t old_size = heap::usable_size(block);
    if (moved != nullptr) __builtin_memcpy(moved, block, old_size < size ? old_size : size);
    return moved;
  }
  if (block != nullptr && !ours) return __libc_realloc(block, size);
  if (block == nullptr) return checked(heap::allocate(size), size);
  refuse_release(heap::check_release(block), block);
  note_release(block);
  if (size == 0) return heap::reallocate(block, 0);
  return checked(heap::reallocate(block, size), size);
}

HEDDLE_INTERPOSE void* reallocarray(void* block, std::size_t count, std::size_t size) {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, size, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(block, total);
}

HEDDLE_INTERPOSE void* memalign(std::size_t alignment, std::size_t size) {
  if (!controlled()) return __libc_memalign(alignment, size);
  std::size_t power = 16;
  while (power < alignment) power *= 2;
  return allocate_aligned(power, size);
}

HEDDLE_INTERPOSE void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (!is_power_of_two(alignment)) {
    errno = EINVAL;
    return nullptr;
  }
  return memalign(alignment, size);
}

HEDDLE_INTERPOSE int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int saved_errno = errno;
  void* block = memalign(alignment, size);
  errno = saved_errno;
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

HEDDLE_INTERPOSE void* valloc(std::size_t size) { return memalign(4096, size); }
HEDDLE_INTERPOSE void* pvalloc(std::size_t size) { return memalign(4096, (size + 4095) & ~std::size_t{4095}); }

HEDDLE_INTERPOSE std::size_t malloc_usable_size(void* block) {
  if (block == nullptr) return 0;
  return heap::owns(block) ? heap::usable_size(block) : HEDDLE_REAL(malloc_usable_size)(block);
}
