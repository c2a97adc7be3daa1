#include "runtime/heap/size_classes.h"

#include <gtest/gtest.h>

namespace heddle::runtime::heap {
namespace {

TEST(SizeClasses, every_size_has_the_smallest_class_that_holds_it) {
  for (std::size_t size = 0; size <= kSmallMax; ++size) {
    const std::uint32_t size_class = class_of_size(size);
    ASSERT_LT(size_class, kClassCount);
    ASSERT_GE(kClassShapes[size_class].block_bytes, size);
    if (size_class > 0) ASSERT_LT(kClassShapes[size_class - 1].block_bytes, size);
  }
}

TEST(SizeClasses, blocks_exceed_sizes_from_64_on_by_at_most_a_quarter_and_a_granule) {
  for (std::size_t size = 64; size <= kSmallMax; ++size) {
    ASSERT_LE(kClassShapes[class_of_size(size)].block_bytes * 4, size * 5 + 4 * kGranuleBytes);
  }
}

TEST(SizeClasses, the_reciprocal_finds_the_block_of_every_byte_of_a_slab) {
  for (const ClassShape& shape : kClassShapes) {
    for (std::size_t offset = 0; offset < shape.slab_units * kUnitBytes; offset += 7) {
      ASSERT_EQ(block_index(shape.reciprocal, offset), offset / shape.block_bytes) << shape.block_bytes;
    }
  }
}

TEST(SizeClasses, slabs_hold_the_minimum_of_blocks_and_fit_the_tables) {
  for (const ClassShape& shape : kClassShapes) {
    EXPECT_GE(shape.slab_blocks, kSlabBlocksMin);
    EXPECT_LE(shape.slab_blocks, kUnitGranules);
    EXPECT_LE(std::size_t{shape.slab_blocks} * shape.block_bytes, shape.slab_units * kUnitBytes);
    EXPECT_TRUE(std::has_single_bit(shape.quarantine_blocks));
  }
}

}  // namespace
}  // namespace heddle::runtime::heap
