// Places the program's own mappings at addresses that are the same in every run. Mappings of libc and of the loader
// bypass this file and stay where the kernel puts them.
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/memory/address_map.h"
#include "runtime/memory/arena.h"
#include "runtime/os/libc_result.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/os/real.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

bool is_error(long result) { return result < 0 && result > -4096; }

// A page stays unmapped between two mappings, so that overruns fault.
std::uint64_t fresh_address(std::uint64_t size, std::uint64_t alignment) {
  const std::uint64_t begin = (kMappingsBegin + rt.interpose.mapped_bytes + alignment - 1) / alignment * alignment;
  if (begin + size + kPageBytes > kMappingsEnd) return 0;
  rt.interpose.mapped_bytes = begin + size + kPageBytes - kMappingsBegin;
  return begin;
}

void give_back(std::uint64_t begin, std::uint64_t size) {
  if (begin < kMappingsBegin || begin + size > kMappingsEnd) return;
  rt.interpose.free_mappings.give(begin, size);
}

long map_somewhere(std::uint64_t size, int protection, int flags, int descriptor, long offset) {
  const std::uint64_t rounded = whole_pages(size);
  const std::uint64_t alignment = (flags & MAP_HUGETLB) != 0 ? kHugePage : kPageBytes;
  bool from_free = true;
  for (;;) {
    std::uint64_t begin = from_free && alignment == kPageBytes ? rt.interpose.free_mappings.take(rounded) : 0;
    if (begin == 0) {
      from_free = false;
      begin = fresh_address(rounded, alignment);
    }
    if (begin == 0) return -ENOMEM;
    const long result = raw_syscall(SYS_mmap, begin, size, protection, flags | MAP_FIXED_NOREPLACE, descriptor, offset);
    // The program has mapped this range with MAP_FIXED.
    if (result == -EEXIST) continue;
    if (is_error(result)) give_back(begin, rounded);
    return result;
  }
}

long remap(std::uint64_t old, std::uint64_t old_size, std::uint64_t size, int flags, void* fixed) {
  if ((flags & MREMAP_MAYMOVE) == 0 || (flags & MREMAP_FIXED) != 0)
    return raw_syscall(SYS_mremap, old, old_size, size, flags, fixed);
  if ((flags & MREMAP_DONTUNMAP) == 0 && old_size != 0) {
    const long result = raw_syscall(SYS_mremap, old, old_size, size, flags & ~MREMAP_MAYMOVE);
    if (result != -ENOMEM) return result;
  }
  // Reserves the range first, because mremap silently replaces existing mappings.
  const long begin = map_somewhere(size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (is_error(begin)) return begin;
  const long result = raw_syscall(SYS_mremap, old, old_size, size, flags | MREMAP_FIXED, begin);
  if (is_error(result)) raw_syscall(SYS_munmap, begin, size);
  if (!is_error(result) && (flags & MREMAP_DONTUNMAP) == 0) give_back(old, whole_pages(old_size));
  return result;
}

// libc_result() yields MAP_FAILED, which is -1, for errors.
void* as_pointer(long result) { return reinterpret_cast<void*>(libc_result(result)); }

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE void* mmap(void* hint, size_t size, int protection, int flags, int descriptor, off_t offset) noexcept {
  if (!controlled() || hint != nullptr || size == 0 || (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT)) != 0)
    return HEDDLE_REAL(mmap)(hint, size, protection, flags, descriptor, offset);
  return as_pointer(map_somewhere(size, protection, flags, descriptor, offset));
}

HEDDLE_INTERPOSE void* mmap64(void* hint, size_t size, int protection, int flags, int descriptor,
                              off64_t offset) noexcept {
  return mmap(hint, size, protection, flags, descriptor, offset);
}

HEDDLE_INTERPOSE int munmap(void* address, size_t size) noexcept {
  if (!controlled()) return HEDDLE_REAL(munmap)(address, size);
  const long result = raw_syscall(SYS_munmap, address, size);
  if (result != 0) return static_cast<int>(libc_result(result));
  give_back(reinterpret_cast<std::uint64_t>(address), whole_pages(size));
  return 0;
}

HEDDLE_INTERPOSE void* mremap(void* old, size_t old_size, size_t size, int flags, ...) noexcept {
  va_list rest;
  va_start(rest, flags);
  void* fixed = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void*) : nullptr;
  va_end(rest);
  if (!controlled()) return HEDDLE_REAL(mremap)(old, old_size, size, flags, fixed);
  return as_pointer(remap(reinterpret_cast<std::uint64_t>(old), old_size, size, flags, fixed));
}
