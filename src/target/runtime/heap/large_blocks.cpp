#include "runtime/heap/large_blocks.h"

#include "runtime/heap/region.h"

namespace heddle::runtime::heap {
namespace {

// At least one; 0 if the size exceeds every heap.
constexpr std::size_t units_for(std::size_t size) {
  if (size > kHeapBytesMax) return 0;
  return size == 0 ? 1 : round_up(size, kUnitBytes) / kUnitBytes;
}

void assign_units(std::uint32_t head, std::size_t from, std::size_t to, UnitUse use) {
  for (std::size_t i = from; i < to; ++i) {
    const auto unit = static_cast<std::uint32_t>(head + i);
    use_of(unit) = use;
    head_of(unit) = head;
  }
}

}  // namespace

std::size_t LargeBlocks::block_bytes(std::uint32_t head) {
  return units_for(unit_at(head).requested_bytes) * kUnitBytes;
}

std::byte* LargeBlocks::allocate(std::size_t size, std::size_t alignment, std::uint64_t ordinal) {
  const std::size_t units = units_for(size);
  if (units == 0) return nullptr;
  const std::size_t alignment_units = alignment <= kUnitBytes ? 1 : alignment / kUnitBytes;
  std::uint32_t head = runs_.take(units, alignment_units);
  if (head == kNoUnit && empty_quarantine()) head = runs_.take(units, alignment_units);
  if (head == kNoUnit) return nullptr;
  clear_marks(head, static_cast<std::uint32_t>(units));
  assign_units(head, 0, units, UnitUse::Large);
  unit_at(head).requested_bytes = size;
  unit_at(head).ordinal = ordinal;
  return unit_begin(head);
}

void LargeBlocks::release(std::uint32_t head) {
  const std::size_t units = units_for(unit_at(head).requested_bytes);
  assign_units(head, 0, units, UnitUse::LargeFreed);
  mark_freed_units(head, static_cast<std::uint32_t>(units));
  discard_units(head, static_cast<std::uint32_t>(units));
  if (quarantined_ == kQuarantineBlocks) release_oldest();
  quarantine_[(oldest_ + quarantined_++) % kQuarantineBlocks] = head;
}

bool LargeBlocks::resize(std::uint32_t head, std::size_t size) {
  const std::size_t before = units_for(unit_at(head).requested_bytes);
  const std::size_t after = units_for(size);
  if (after == 0) return false;
  if (after > before) {
    if (!runs_.extend(head, before, after - before)) return false;
    clear_marks(static_cast<std::uint32_t>(head + before), static_cast<std::uint32_t>(after - before));
    assign_units(head, before, after, UnitUse::Large);
  } else if (after < before) {
    const auto tail = static_cast<std::uint32_t>(head + after);
    const auto tail_units = static_cast<std::uint32_t>(before - after);
    assign_units(head, after, before, UnitUse::Returned);
    mark_freed_units(tail, tail_units);
    discard_units(tail, tail_units);
    runs_.give(tail, tail_units);
  }
  unit_at(head).requested_bytes = size;
  return true;
}

bool LargeBlocks::empty_quarantine() {
  if (quarantined_ == 0) return false;
  while (quarantined_ > 0) release_oldest();
  return true;
}

void LargeBlocks::release_oldest() {
  const std::uint32_t head = quarantine_[oldest_++ % kQuarantineBlocks];
  --quarantined_;
  runs_.give(head, units_for(unit_at(head).requested_bytes));
}

}  // namespace heddle::runtime::heap
