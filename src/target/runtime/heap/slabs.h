#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/heap/fill.h"
#include "runtime/heap/layout.h"
#include "runtime/heap/runs.h"
#include "runtime/heap/size_classes.h"

namespace heddle::runtime::heap {

// The small blocks. Each size class has slabs with a bitmap of their free blocks, one word of 64 blocks taken from such
// a bitmap to allocate from, and a quarantine: a queue of the blocks freed last. While the quarantine is full, which is
// the steady state, allocation takes the oldest block of the queue and touches no bitmap.
class Slabs {
 public:
  explicit constexpr Slabs(Runs& runs) : runs_(runs) {
    for (std::uint32_t i = 0; i < kClassCount; ++i) {
      classes_[i].block_bytes = kClassShapes[i].block_bytes;
      classes_[i].slab_units = kClassShapes[i].slab_units;
      classes_[i].reciprocal = kClassShapes[i].reciprocal;
      classes_[i].quarantine_blocks = kClassShapes[i].quarantine_blocks;
    }
  }

  struct Allocation {
    std::byte* block;  // nullptr: out of memory
    bool zeroed;
  };

  // REQUIRES: `size` is at most the class's block size.
  Allocation allocate(std::uint32_t size_class, std::size_t size, std::uint64_t ordinal) {
    SizeClass& of = classes_[size_class];
    std::byte* block;
    if (of.quarantined == of.quarantine_blocks) {
      block = quarantines_[size_class][of.oldest++ & (of.quarantine_blocks - 1)];
      --of.quarantined;
    } else {
      if (of.word == 0 && !refill(size_class)) return {nullptr, false};
      block = of.word_begin + static_cast<std::size_t>(std::countr_zero(of.word)) * of.block_bytes;
      of.word &= of.word - 1;
    }
    Mark* const marks = mark_of(block);
    const std::size_t bytes = of.block_bytes;
    const bool fresh = marks[0] == Mark::Never;
    by_block_size(bytes, [=](auto sized) __attribute__((always_inline)) {
      if (!fresh && !sized.holds(block, bytes, kFreedWord)) [[unlikely]] {
        report_damage(block, bytes);
      }
      sized.mark(marks, bytes / kGranuleBytes, Mark::LiveFirst, Mark::LiveRest);
    });
    record_of(of, block) = {.ordinal = ordinal, .slack = of.block_bytes - size};
    return {block, fresh};
  }

  // REQUIRES: `block` is a live block of this class.
  void release(std::uint32_t size_class, std::byte* block) {
    SizeClass& of = classes_[size_class];
    const std::size_t bytes = of.block_bytes;
    by_block_size(bytes, [=](auto sized) __attribute__((always_inline)) {
      sized.fill(block, bytes, kFreedWord);
      sized.mark(mark_of(block), bytes / kGranuleBytes, Mark::FreedFirst, Mark::FreedRest);
    });
    std::byte*& slot = quarantines_[size_class][(of.oldest + of.quarantined) & (of.quarantine_blocks - 1)];
    if (of.quarantined == of.quarantine_blocks) {
      make_free(size_class, slot);
      ++of.oldest;
    } else {
      ++of.quarantined;
    }
    slot = block;
  }

  std::size_t block_bytes(std::uint32_t size_class) const { return classes_[size_class].block_bytes; }

  // REQUIRES: `block` is the start of a block of this class.
  BlockRecord& record_of(std::uint32_t size_class, const std::byte* block) const {
    return record_of(classes_[size_class], block);
  }

  // The block that contains an address in a slab of this class; nullptr behind the last block.
  std::byte* block_around(std::uint32_t size_class, const void* address) const;

 private:
  struct SizeClass {
    std::uint64_t word = 0;  // the next blocks to allocate: bit i is the block i blocks behind word_begin
    std::byte* word_begin = nullptr;
    std::uint64_t reciprocal = 0;
    std::uint32_t block_bytes = 0;
    std::uint32_t slab_units = 0;
    std::uint32_t quarantine_blocks = 0;
    std::uint32_t quarantined = 0;
    std::uint32_t oldest = 0;            // index in the quarantine, modulo quarantine_blocks
    std::uint32_t slabs_free = kNoUnit;  // list of the slabs with free blocks
  };

  static std::uint32_t slab_of(const SizeClass& of, const void* address) {
    const std::uint32_t unit = unit_of(address);
    return of.slab_units == 1 ? unit : head_of(unit);
  }
  static BlockRecord& record_of(const SizeClass& of, const std::byte* block) {
    const std::uint32_t slab = slab_of(of, block);
    return slab_records(slab)[block_index(of.reciprocal, static_cast<std::size_t>(block - unit_begin(slab)))];
  }

  [[gnu::noinline]] bool refill(std::uint32_t size_class);
  [[gnu::noinline]] void make_free(std::uint32_t size_class, std::byte* block);
  [[gnu::noinline]] static void report_damage(const std::byte* block, std::size_t bytes);
  std::uint32_t make_slab(std::uint32_t size_class);

  Runs& runs_;
  std::size_t empty_units_ = 0;  // units of slabs without used blocks that are kept
  std::array<SizeClass, kClassCount> classes_{};
  // Static, so that it takes no space in the file, and pages only for the classes in use.
  [[gnu::visibility(
      "hidden")]] static std::array<std::array<std::byte*, kQuarantineBlocksMax>, kClassCount> quarantines_;
};

}  // namespace heddle::runtime::heap
