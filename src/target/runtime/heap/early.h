#pragma once
#include <cstddef>

namespace heddle::runtime::heap {

// Memory for what is asked for before the heap can be set up: a bump allocator in static storage that needs no system
// call. Never reused. nullptr when it is used up.
void* early_allocate(std::size_t size, std::size_t alignment = 16);
bool is_early(const void* address);
// REQUIRES: early_allocate() returned `block`.
std::size_t early_size(const void* block);

}  // namespace heddle::runtime::heap
