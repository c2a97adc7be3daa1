#include "runtime/engine/stacks.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/memory/address_map.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/runtime.h"

namespace heddle::runtime {

StackArea allocate_stack(std::size_t size) {
  size = whole_pages(size);
  if (const std::uint64_t used = rt.engine.free_stacks.take(size); used != 0)
    return {reinterpret_cast<void*>(used), size};
  const std::uint64_t place = kStacksBegin + rt.engine.stack_bytes;
  if (place + kPageBytes + size > kStacksEnd) return {nullptr, 0};
  const long mapped = raw_syscall(SYS_mmap, place, kPageBytes + size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped != static_cast<long>(place)) return {nullptr, 0};
  raw_syscall(SYS_mprotect, mapped, kPageBytes, PROT_NONE);
  rt.engine.stack_bytes += kPageBytes + size;
  return {reinterpret_cast<char*>(mapped) + kPageBytes, size};
}

void release_stack(StackArea area) {
  if (area.begin == nullptr) return;
  // An unused stack takes no memory, and the next thread gets a zeroed one.
  raw_syscall(SYS_madvise, area.begin, area.size, MADV_DONTNEED);
  rt.engine.free_stacks.give(reinterpret_cast<std::uint64_t>(area.begin), area.size);
}

}  // namespace heddle::runtime
