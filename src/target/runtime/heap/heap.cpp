#include "runtime/heap/heap.h"

#include "runtime/heap/fill.h"
#include "runtime/heap/large_blocks.h"
#include "runtime/heap/runs.h"
#include "runtime/heap/size_classes.h"
#include "runtime/heap/slabs.h"

namespace heddle::runtime::heap {
namespace {

constinit Runs runs;
constinit Slabs slabs{runs};
constinit LargeBlocks large_blocks{runs};
constinit bool initialised = false;
constinit std::uint64_t last_ordinal = 0;
constinit CorruptionHandler corruption_handler = nullptr;

// The class with the smallest blocks that have `size` bytes and the alignment; kClassCount if there is none.
std::uint32_t class_of_aligned(std::size_t alignment, std::size_t size) {
  if (size > kSmallMax || alignment > kUnitBytes) return kClassCount;
  std::uint32_t size_class = class_of_size(size > alignment ? size : alignment);
  while (size_class < kClassCount && slabs.block_bytes(size_class) % alignment != 0) ++size_class;
  return size_class;
}

[[gnu::noinline]] Slabs::Allocation allocate_elsewhere(std::size_t size, std::size_t alignment) {
  if (!initialised) return {static_cast<std::byte*>(early_allocate(size, alignment)), true};
  return {large_blocks.allocate(size, alignment, ++last_ordinal), true};
}

inline Slabs::Allocation allocate_small(std::uint32_t size_class, std::size_t size) {
  const Slabs::Allocation allocation = slabs.allocate(size_class, size, ++last_ordinal);
  if (allocation.block != nullptr || !large_blocks.empty_quarantine()) [[likely]]
    return allocation;
  return slabs.allocate(size_class, size, last_ordinal);
}

inline Slabs::Allocation allocate_any(std::size_t size) {
  if (size > kSmallMax || !initialised) [[unlikely]]
    return allocate_elsewhere(size, kGranuleBytes);
  return allocate_small(class_of_size(size), size);
}

[[gnu::noinline]] FreeProblem release_elsewhere(void* block) {
  const FreeProblem problem = check_release(block);
  if (problem == FreeProblem::None && block != nullptr && !is_early(block)) large_blocks.release(unit_of(block));
  return problem;
}

FreeProblem check_large(const void* block) {
  const std::uint32_t unit = unit_of(block);
  const bool at_begin = unit_begin(unit) == block && head_of(unit) == unit;
  if (!at_begin || use_of(unit) == UnitUse::Never) return FreeProblem::NotABlock;
  return use_of(unit) == UnitUse::Large ? FreeProblem::None : FreeProblem::DoubleFree;
}

BlockInfo find_large(std::uint32_t unit) {
  const UnitUse use = use_of(unit);
  const std::uint32_t head = head_of(unit);
  const Unit& block = unit_at(head);
  // The head of a freed block may be in use again while its other units are not.
  if (use_of(head) != use || unit >= head + LargeBlocks::block_bytes(head) / kUnitBytes) {
    return {nullptr, 0, 0, BlockState::Freed};
  }
  return {unit_begin(head), block.requested_bytes, block.ordinal,
          use == UnitUse::Large ? BlockState::Live : BlockState::Freed};
}

// Changes the size of a live block without moving it. Returns false if it must move.
bool resize_in_place(void* block, std::size_t size) {
  const UnitUse use = use_of(unit_of(block));
  if (!is_slab(use)) return size > kSmallMax && large_blocks.resize(unit_of(block), size);
  const std::uint32_t size_class = slab_class(use);
  const std::size_t block_bytes = slabs.block_bytes(size_class);
  if (size > block_bytes) return false;
  if (size < block_bytes / 2 && class_of_size(size) != size_class) return false;
  slabs.record_of(size_class, static_cast<std::byte*>(block)).slack = block_bytes - size;
  return true;
}

}  // namespace

bool initialise() {
  if (!initialised) initialised = runs.initialise();
  return initialised;
}

void* allocate(std::size_t size) { return allocate_any(size).block; }

void* allocate_zeroed(std::size_t count, std::size_t size) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  const Slabs::Allocation allocation = allocate_any(bytes);
  if (allocation.block != nullptr && !allocation.zeroed && bytes != 0) {
    fill_granules(allocation.block, round_up(bytes, kGranuleBytes), 0);
  }
  return allocation.block;
}

void* allocate_aligned(std::size_t alignment, std::size_t size) {
  if (alignment <= kGranuleBytes) return allocate(size);
  const std::uint32_t size_class = class_of_aligned(alignment, size);
  if (size_class == kClassCount || !initialised) return allocate_elsewhere(size, alignment).block;
  return allocate_small(size_class, size).block;
}

FreeProblem check_release(const void* block) {
  if (block == nullptr || is_early(block)) return FreeProblem::None;
  if (heap_offset(block) >= accessible_bytes) return FreeProblem::Foreign;
  const UnitUse use = use_of(unit_of(block));
  // A returned slab keeps its marks.
  if (!is_slab(use) && use != UnitUse::Returned) return check_large(block);
  if (heap_offset(block) % kGranuleBytes != 0) return FreeProblem::NotABlock;
  switch (*mark_of(block)) {
    case Mark::LiveFirst:
      return FreeProblem::None;
    case Mark::FreedFirst:
      return FreeProblem::DoubleFree;
    default:
      return FreeProblem::NotABlock;
  }
}

FreeProblem release(void* block) {
  if (heap_offset(block) >= accessible_bytes) [[unlikely]]
    return release_elsewhere(block);
  const UnitUse use = use_of(unit_of(block));
  if (!is_slab(use)) [[unlikely]]
    return release_elsewhere(block);
  if (heap_offset(block) % kGranuleBytes != 0 || *mark_of(block) != Mark::LiveFirst) [[unlikely]] {
    return check_release(block);
  }
  slabs.release(slab_class(use), static_cast<std::byte*>(block));
  return FreeProblem::None;
}

void* reallocate(void* block, std::size_t size) {
  if (block == nullptr) return allocate(size);
  if (size == 0) {
    release(block);
    return nullptr;
  }
  if (!is_early(block) && resize_in_place(block, size)) return block;
  const std::size_t old_size = is_early(block) ? early_size(block) : find_block(block).requested_bytes;
  void* const moved = allocate(size);
  const std::size_t kept = old_size < size ? old_size : size;
  if (moved == nullptr) return nullptr;
  if (kept != 0) {
    copy_granules(static_cast<std::byte*>(moved), static_cast<std::byte*>(block), round_up(kept, kGranuleBytes));
  }
  release(block);
  return moved;
}

std::size_t usable_size(const void* block) {
  if (is_early(block)) return early_size(block);
  const UnitUse use = use_of(unit_of(block));
  return is_slab(use) ? slabs.block_bytes(slab_class(use)) : LargeBlocks::block_bytes(unit_of(block));
}

bool owns(const void* address) { return heap_offset(address) < accessible_bytes || is_early(address); }

BlockInfo find_block(const void* address) {
  constexpr BlockInfo kNone{nullptr, 0, 0, BlockState::Never};
  if (is_early(address)) return {nullptr, 0, 0, BlockState::Live};
  if (heap_offset(address) >= accessible_bytes) return kNone;
  const UnitUse use = use_of(unit_of(address));
  if (use == UnitUse::Never) return kNone;
  if (use == UnitUse::Returned) return {nullptr, 0, 0, BlockState::Freed};
  if (!is_slab(use)) return find_large(unit_of(address));
  const std::byte* const block = slabs.block_around(slab_class(use), address);
  if (block == nullptr || *mark_of(block) == Mark::Never) return kNone;
  const BlockRecord& record = slabs.record_of(slab_class(use), block);
  return {block, slabs.block_bytes(slab_class(use)) - record.slack, record.ordinal,
          is_freed(*mark_of(block)) ? BlockState::Freed : BlockState::Live};
}

void on_corruption(CorruptionHandler handler) { corruption_handler = handler; }

void report_corruption(const void* address) {
  if (corruption_handler != nullptr) corruption_handler(find_block(address), address);
}

}  // namespace heddle::runtime::heap
