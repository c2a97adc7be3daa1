#pragma once
// Stacks of program threads, at fixed addresses in order of allocation, with a guard page below each. A released stack
// is reused for the same size.
#include <cstddef>

namespace heddle::runtime {

struct StackArea {
  void* begin;
  std::size_t size;
};

// Without the guard page; {nullptr, 0} if the kernel refuses.
StackArea allocate_stack(std::size_t size);
void release_stack(StackArea area);

}  // namespace heddle::runtime
