#include "runtime/engine/stacks.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/memory/address_map.h"
#include "runtime/memory/arena.h"
#include "runtime/os/raw_syscall.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kPage = 4096;
std::uint64_t next_address = kStacksBegin;
GrowingArray<StackArea> free_stacks;

}  // namespace

StackArea allocate_stack(std::size_t size) {
  size = (size + kPage - 1) / kPage * kPage;
  for (std::size_t i = free_stacks.size(); i-- > 0;) {
    if (free_stacks[i].size != size) continue;
    const StackArea area = free_stacks[i];
    free_stacks.erase(i);
    return area;
  }
  if (next_address + kPage + size > kStacksEnd) return {nullptr, 0};
  const long mapped = raw_syscall(SYS_mmap, next_address, kPage + size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped != static_cast<long>(next_address)) return {nullptr, 0};
  raw_syscall(SYS_mprotect, mapped, kPage, PROT_NONE);
  next_address += kPage + size;
  return {reinterpret_cast<char*>(mapped) + kPage, size};
}

void release_stack(StackArea area) {
  if (area.begin == nullptr) return;
  // What a dead thread left on its stack must not cost memory, and must not differ from a fresh stack.
  raw_syscall(SYS_madvise, area.begin, area.size, MADV_DONTNEED);
  free_stacks.push_back(area);
}

}  // namespace heddle::runtime
