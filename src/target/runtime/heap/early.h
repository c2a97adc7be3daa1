#pragma once
#include <cstddef>

namespace heddle::runtime::heap {

// Allocates before the heap is initialised: a bump allocator in static storage that needs no system call and never
// reuses memory. nullptr: it is exhausted.
void* early_allocate(std::size_t size, std::size_t alignment = 16);
bool is_early(const void* address);
// REQUIRES: early_allocate() returned `block`.
std::size_t early_size(const void* block);

}  // namespace heddle::runtime::heap
