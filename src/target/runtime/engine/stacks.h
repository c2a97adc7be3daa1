#pragma once
// Stacks of program threads, at fixed addresses in order of need, with a guard page below each. Reused by size.
#include <cstddef>

namespace heddle::runtime {

struct StackArea {
  void* begin;
  std::size_t size;
};

// The usable part; {nullptr, 0} when the kernel refuses.
StackArea allocate_stack(std::size_t size);
void release_stack(StackArea area);

}  // namespace heddle::runtime
