#include "runtime/memory/arena.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/control/failure.h"
#include "runtime/memory/address_map.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

constexpr ArenaState& arena = rt.arena;

}  // namespace

void* arena_map(std::size_t size) {
  size = whole_pages(size);
  const std::uint64_t place = kArenaBegin + arena.mapped_bytes;
  const long address = raw_syscall(SYS_mmap, place, size, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (address != static_cast<long>(place)) refuse("the kernel has no memory left for the runtime");
  arena.mapped_bytes += size;
  return reinterpret_cast<void*>(address);
}

void arena_unmap(void* address, std::size_t size) { raw_syscall(SYS_munmap, address, whole_pages(size)); }

void* arena_allocate(std::size_t size) {
  size = (size + 15) & ~std::size_t{15};
  if (size > kChunk / 4) return arena_map(size);
  if (size > arena.chunk_left) {
    arena.chunk = static_cast<char*>(arena_map(kChunk));
    arena.chunk_left = kChunk;
  }
  void* result = arena.chunk;
  arena.chunk += size;
  arena.chunk_left -= size;
  return result;
}

}  // namespace heddle::runtime
