#include "slice/backward/wanted_memory.h"

#include <gtest/gtest.h>

namespace heddle::slice {
namespace {

TEST(WantedMemory, distinguishes_bytes_of_one_word) {
  WantedMemory memory;
  memory.want_read(0x100, 1);
  EXPECT_FALSE(memory.pass_write(0x101, 1, 2));
  EXPECT_TRUE(memory.pass_write(0x100, 1, 1));
  EXPECT_FALSE(memory.pass_write(0x100, 1, 1));
}

TEST(WantedMemory, finds_all_partial_writes_of_a_word) {
  WantedMemory memory;
  memory.want_read(0x100, 4);
  EXPECT_TRUE(memory.pass_write(0x101, 1, 2));
  EXPECT_TRUE(memory.pass_write(0x100, 1, 1));
  EXPECT_TRUE(memory.pass_write(0x100, 8, 1));  // its last bytes
  EXPECT_FALSE(memory.pass_write(0x100, 8, 1));
}

TEST(WantedMemory, a_write_depends_on_a_read_of_its_last_byte_only) {
  WantedMemory memory;
  memory.want_overwritten(0x100, 4, 1);
  EXPECT_TRUE(memory.pass_read(0x103, 2, 3));
  EXPECT_FALSE(memory.pass_read(0x103, 2, 3));  // only the last read of a thread counts
  EXPECT_TRUE(memory.pass_read(0x100, 1, 3));   // other bytes
  EXPECT_TRUE(memory.pass_read(0x102, 2, 4));
}

TEST(WantedMemory, passes_accesses_that_span_words_and_pages) {
  WantedMemory memory;
  memory.want_read(0xff0, 0x20);
  EXPECT_TRUE(memory.pass_write(0x1001, 1, 1));
  EXPECT_TRUE(memory.pass_write(0xffe, 1, 1));
  EXPECT_FALSE(memory.pass_write(0xffe, 1, 1));
  EXPECT_TRUE(memory.pass_write(0xf00, 0x200, 1));
}

TEST(WantedMemory, ignores_earlier_accesses_of_the_overwriting_thread) {
  WantedMemory memory;
  memory.want_overwritten(0x100, 8, 1);
  EXPECT_FALSE(memory.pass_read(0x100, 8, 1));
  EXPECT_FALSE(memory.pass_write(0x100, 8, 1));
  EXPECT_FALSE(memory.pass_write(0x100, 8, 2));  // the write before was the last one
}

TEST(WantedMemory, ignores_accesses_before_the_last_write) {
  WantedMemory memory;
  memory.want_overwritten(0x100, 8, 4);
  EXPECT_TRUE(memory.pass_write(0x100, 8, 3));
  EXPECT_FALSE(memory.pass_read(0x100, 8, 2));
}

TEST(WantedMemory, keeps_and_erases_many_words) {
  WantedMemory memory;
  constexpr std::uint64_t kWords = 100'000;
  for (std::uint64_t i = 0; i < kWords; ++i) memory.want_read(i * 24, 8);
  for (std::uint64_t i = 0; i < kWords; i += 2) EXPECT_TRUE(memory.pass_write(i * 24, 8, 1));
  for (std::uint64_t i = 0; i < kWords; ++i) EXPECT_EQ(memory.pass_write(i * 24, 8, 1), i % 2 == 1);
}

TEST(WantedMemory, a_read_may_matter_only_at_overwritten_bytes) {
  WantedMemory memory;
  const std::uint64_t place = WantedMemory::filter_place(0x100);
  memory.want_read(0x100, 8);
  EXPECT_TRUE(memory.may_be_wanted_at_place(place));
  EXPECT_FALSE(memory.may_be_overwritten_at_place(place));
  memory.want_overwritten(0x100, 8, 1);
  memory.want_overwritten(0x104, 4, 2);
  EXPECT_TRUE(memory.may_be_overwritten_at_place(place));
  memory.pass_write(0x100, 4, 3);
  EXPECT_TRUE(memory.may_be_overwritten_at_place(place));
  memory.pass_write(0x104, 4, 3);
  EXPECT_FALSE(memory.may_be_overwritten_at_place(place));
  EXPECT_FALSE(memory.may_be_wanted_at_place(place));
}

TEST(WantedMemory, places_differ_by_as_much_as_addresses_of_a_block) {
  constexpr std::uint64_t kLast = (std::uint64_t{1} << WantedMemory::kAddressBits) - WantedMemory::kFilterBlock;
  for (const std::uint64_t block : {std::uint64_t{0}, 7 * WantedMemory::kFilterBlock, kLast})
    for (const std::uint64_t offset : {std::uint64_t{8}, std::uint64_t{0x1238}, WantedMemory::kFilterBlock - 8})
      EXPECT_EQ(WantedMemory::filter_place(block + offset), WantedMemory::filter_place(block) + offset);
  WantedMemory memory;
  memory.want_read(0x7f0000123450, 8);
  const std::uint64_t begin = 0x7f0000123450 / WantedMemory::kFilterBlock * WantedMemory::kFilterBlock;
  EXPECT_TRUE(memory.may_be_wanted_at_place(WantedMemory::filter_place(begin) + 0x7f0000123450 - begin));
}

}  // namespace
}  // namespace heddle::slice
