#include "runtime/heap/slabs.h"

#include <bit>

#include "runtime/heap/region.h"

namespace heddle::runtime::heap {
namespace {

// Empty slabs are kept up to this sum, so that a program that repeatedly empties and fills its structures needs no
// system call each time.
constexpr std::size_t kEmptyUnitsMax = (16 << 20) / kUnitBytes;

}  // namespace

constinit std::array<std::array<std::byte*, kQuarantineBlocksMax>, kClassCount> Slabs::quarantines_{};

bool Slabs::refill(std::uint32_t size_class) {
  SizeClass& of = classes_[size_class];
  std::uint32_t slab = of.slabs_free;
  if (slab == kNoUnit) {
    slab = make_slab(size_class);
    if (slab == kNoUnit) return false;
  }
  Unit& head = unit_at(slab);
  if (head.free_blocks == kClassShapes[size_class].slab_blocks) empty_units_ -= of.slab_units;
  std::uint32_t index = head.first_word;
  while (head.free_words[index] == 0) ++index;
  of.word = head.free_words[index];
  of.word_begin = unit_begin(slab) + static_cast<std::size_t>(index) * 64 * of.block_bytes;
  head.free_words[index] = 0;
  head.first_word = index + 1;
  head.free_blocks -= static_cast<std::uint32_t>(std::popcount(of.word));
  if (head.free_blocks == 0) remove_unit(of.slabs_free, slab);
  return true;
}

void Slabs::make_free(std::uint32_t size_class, std::byte* block) {
  SizeClass& of = classes_[size_class];
  const std::uint32_t slab = slab_of(of, block);
  const std::uint32_t index = block_index(of.reciprocal, static_cast<std::size_t>(block - unit_begin(slab)));
  Unit& head = unit_at(slab);
  head.free_words[index / 64] |= std::uint64_t{1} << (index % 64);
  if (index / 64 < head.first_word) head.first_word = index / 64;
  if (head.free_blocks++ == 0) push_unit(of.slabs_free, slab);
  if (head.free_blocks != kClassShapes[size_class].slab_blocks) return;
  if (empty_units_ + of.slab_units <= kEmptyUnitsMax) {
    empty_units_ += of.slab_units;
    return;
  }
  remove_unit(of.slabs_free, slab);
  for (std::uint32_t i = 0; i < of.slab_units; ++i) use_of(slab + i) = UnitUse::Returned;
  mark_freed_units(slab, of.slab_units);
  discard_units(slab, of.slab_units);
  runs_.give(slab, of.slab_units);
}

std::uint32_t Slabs::make_slab(std::uint32_t size_class) {
  SizeClass& of = classes_[size_class];
  const std::uint32_t slab = runs_.take(of.slab_units);
  if (slab == kNoUnit) return kNoUnit;
  clear_marks(slab, of.slab_units);
  for (std::uint32_t i = 0; i < of.slab_units; ++i) {
    use_of(slab + i) = slab_use(size_class);
    head_of(slab + i) = slab;
  }
  Unit& head = unit_at(slab);
  const std::uint32_t blocks = kClassShapes[size_class].slab_blocks;
  for (std::uint32_t i = 0; i < blocks / 64; ++i) head.free_words[i] = ~std::uint64_t{0};
  if (blocks % 64 != 0) head.free_words[blocks / 64] = (std::uint64_t{1} << (blocks % 64)) - 1;
  head.first_word = 0;
  head.free_blocks = blocks;
  empty_units_ += of.slab_units;
  push_unit(of.slabs_free, slab);
  return slab;
}

std::byte* Slabs::block_around(std::uint32_t size_class, const void* address) const {
  const SizeClass& of = classes_[size_class];
  const std::uint32_t slab = slab_of(of, address);
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - unit_begin(slab));
  const std::uint32_t index = block_index(of.reciprocal, offset);
  if (index >= kClassShapes[size_class].slab_blocks) return nullptr;
  return unit_begin(slab) + static_cast<std::size_t>(index) * of.block_bytes;
}

void Slabs::report_damage(const std::byte* block, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (block[i] != std::byte{kFreedByte}) return report_corruption(block + i);
  }
}

}  // namespace heddle::runtime::heap
