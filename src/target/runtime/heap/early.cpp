#include "runtime/heap/early.h"

#include <cstdint>

#include "runtime/heap/layout.h"

namespace heddle::runtime::heap {
namespace {

constexpr std::size_t kEarlyBytes = 256 << 10;

alignas(4096) constinit std::byte memory[kEarlyBytes]{};
constinit std::size_t used = 0;

}  // namespace

void* early_allocate(std::size_t size, std::size_t alignment) {
  if (size > kEarlyBytes || alignment > kEarlyBytes) return nullptr;
  if (alignment < kGranuleBytes) alignment = kGranuleBytes;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  // The granule before a block holds its size.
  const std::uintptr_t block = round_up(begin + used + kGranuleBytes, alignment);
  const std::size_t end = block - begin + round_up(size, kGranuleBytes);
  if (end > kEarlyBytes) return nullptr;
  used = end;
  reinterpret_cast<std::size_t*>(block)[-1] = size;
  return reinterpret_cast<void*>(block);
}

bool is_early(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(memory) < kEarlyBytes;
}

std::size_t early_size(const void* block) { return static_cast<const std::size_t*>(block)[-1]; }

}  // namespace heddle::runtime::heap
