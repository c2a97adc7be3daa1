#include "runtime/engine/stacks.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/memory/address_map.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

StackArea allocate_stack(std::size_t size) {
  size = (size + kPage - 1) / kPage * kPage;
  GrowingArray<StackArea>& free_stacks = rt.engine.free_stacks;
  for (std::size_t i = free_stacks.size(); i-- > 0;) {
    if (free_stacks[i].size != size) continue;
    const StackArea area = free_stacks[i];
    free_stacks.erase(i);
    return area;
  }
  const std::uint64_t place = kStacksBegin + rt.engine.stack_bytes;
  if (place + kPage + size > kStacksEnd) return {nullptr, 0};
  const long mapped = raw_syscall(SYS_mmap, place, kPage + size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped != static_cast<long>(place)) return {nullptr, 0};
  raw_syscall(SYS_mprotect, mapped, kPage, PROT_NONE);
  rt.engine.stack_bytes += kPage + size;
  return {reinterpret_cast<char*>(mapped) + kPage, size};
}

void release_stack(StackArea area) {
  if (area.begin == nullptr) return;
  // What a dead thread left on its stack must not cost memory, and must not differ from a fresh stack.
  raw_syscall(SYS_madvise, area.begin, area.size, MADV_DONTNEED);
  rt.engine.free_stacks.push_back(area);
}

}  // namespace heddle::runtime
