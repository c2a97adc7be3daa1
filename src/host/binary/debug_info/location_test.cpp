#include "binary/debug_info/location.h"

#include <dwarf.h>
#include <gtest/gtest.h>

#include "tests/support/core_writer.h"
#include "tests/support/opened_core.h"

namespace heddle::binary {
namespace {

using Kind = MemoryLocation::Kind;

constexpr std::uint64_t kMemory = 0x1000, kMemorySize = 0x100;

// Expressions without registers. What stands in memory: at each of its words the word's own address.
class Location : public ::testing::Test {
 protected:
  Location() {
    test_support::Core core;
    core.threads.emplace_back();
    core.add_memory(kMemory, kMemorySize);
    for (std::uint64_t at = kMemory; at < kMemory + kMemorySize; at += 8) core.put(at, at);
    image_ = std::move(*test_support::read_core(test_support::core_bytes(core)));
  }

  MemoryLocation find(std::vector<Dwarf_Op> operations) {
    return evaluate(operations.data(), operations.size(), {image_, nullptr, 0x7000, 0x7100, 0x400000});
  }
  static Dwarf_Op op(unsigned atom, std::uint64_t number = 0) {
    return {static_cast<std::uint8_t>(atom), number, 0, 0};
  }
  static Dwarf_Op constant(std::uint64_t value) { return op(DW_OP_constu, value); }
  std::uint64_t word(std::vector<Dwarf_Op> operations) {
    const MemoryLocation found = find(std::move(operations));
    EXPECT_EQ(found.kind, Kind::Memory);
    return found.word;
  }
  bool is_unknown(std::vector<Dwarf_Op> operations) { return find(std::move(operations)).kind == Kind::Unknown; }

  CoreImage image_;
};

TEST_F(Location, adds_the_bias_to_an_address_of_the_file) { EXPECT_EQ(word({op(DW_OP_addr, 0x1234)}), 0x401234u); }

TEST_F(Location, counts_from_the_frame) {
  EXPECT_EQ(word({op(DW_OP_call_frame_cfa)}), 0x7000u);
  EXPECT_EQ(word({op(DW_OP_fbreg, static_cast<std::uint64_t>(-16))}), 0x70f0u);
}

TEST_F(Location, calculates_with_the_left_operand_below_the_right_one) {
  EXPECT_EQ(word({constant(7), constant(3), op(DW_OP_minus)}), 4u);
  EXPECT_EQ(word({constant(7), constant(3), op(DW_OP_plus)}), 10u);
  EXPECT_EQ(word({constant(7), constant(3), op(DW_OP_mul)}), 21u);
  EXPECT_EQ(word({constant(7), constant(3), op(DW_OP_div)}), 2u);
  EXPECT_EQ(word({constant(7), constant(3), op(DW_OP_shl)}), 56u);
  EXPECT_EQ(word({constant(6), constant(3), op(DW_OP_and)}), 2u);
  EXPECT_EQ(word({constant(6), constant(3), op(DW_OP_or)}), 7u);
  EXPECT_EQ(word({constant(6), constant(3), op(DW_OP_xor)}), 5u);
  EXPECT_EQ(word({constant(5), op(DW_OP_neg), op(DW_OP_not)}), 4u);
  EXPECT_EQ(word({op(DW_OP_lit5), op(DW_OP_plus_uconst, 3)}), 8u);
}

TEST_F(Location, divides_and_shifts_signed_numbers) {
  const std::uint64_t minus_eight = static_cast<std::uint64_t>(-8);
  EXPECT_EQ(word({constant(minus_eight), constant(2), op(DW_OP_div)}), static_cast<std::uint64_t>(-4));
  EXPECT_EQ(word({constant(minus_eight), constant(1), op(DW_OP_shra)}), static_cast<std::uint64_t>(-4));
  EXPECT_EQ(word({constant(minus_eight), constant(60), op(DW_OP_shr)}), 15u);
}

TEST_F(Location, survives_division_by_zero_and_the_quotient_that_does_not_fit) {
  EXPECT_EQ(word({constant(7), constant(0), op(DW_OP_div)}), static_cast<std::uint64_t>(-7));
  const std::uint64_t least = std::uint64_t{1} << 63;
  EXPECT_EQ(word({constant(least), constant(static_cast<std::uint64_t>(-1)), op(DW_OP_div)}), least);
}

TEST_F(Location, shifts_by_more_than_a_word_yield_nothing_or_the_sign) {
  EXPECT_EQ(word({constant(1), constant(64), op(DW_OP_shl)}), 0u);
  EXPECT_EQ(word({constant(1), constant(200), op(DW_OP_shr)}), 0u);
  EXPECT_EQ(word({constant(static_cast<std::uint64_t>(-1)), constant(200), op(DW_OP_shra)}), ~std::uint64_t{0});
}

TEST_F(Location, reads_memory_of_the_image) {
  EXPECT_EQ(word({constant(kMemory + 8), op(DW_OP_deref)}), kMemory + 8);
  EXPECT_EQ(word({constant(kMemory + 8), op(DW_OP_deref_size, 1)}), (kMemory + 8) & 0xff);
}

TEST_F(Location, reads_no_more_of_the_image_than_the_size_says) {
  const std::uint64_t last = kMemory + kMemorySize - 2;
  EXPECT_EQ(word({constant(last), op(DW_OP_deref_size, 2)}), 0u);
  EXPECT_TRUE(is_unknown({constant(last), op(DW_OP_deref)}));
}

TEST_F(Location, does_not_know_what_lies_outside_of_the_image) {
  EXPECT_TRUE(is_unknown({constant(kMemory - 8), op(DW_OP_deref)}));
  EXPECT_TRUE(is_unknown({constant(~std::uint64_t{0}), op(DW_OP_deref)}));
}

TEST_F(Location, refuses_sizes_that_no_word_has) {
  EXPECT_TRUE(is_unknown({constant(kMemory), op(DW_OP_deref_size, 0)}));
  EXPECT_TRUE(is_unknown({constant(kMemory), op(DW_OP_deref_size, 9)}));
}

TEST_F(Location, refuses_an_operation_without_its_operands) {
  for (const unsigned atom : {DW_OP_plus, DW_OP_minus, DW_OP_div, DW_OP_shl})
    EXPECT_TRUE(is_unknown({constant(1), op(atom)})) << atom;
  for (const unsigned atom : {DW_OP_neg, DW_OP_not, DW_OP_dup, DW_OP_drop, DW_OP_deref, DW_OP_plus_uconst, DW_OP_piece})
    EXPECT_TRUE(is_unknown({op(atom)})) << atom;
}

TEST_F(Location, refuses_an_empty_expression_and_operations_it_does_not_know) {
  EXPECT_TRUE(is_unknown({}));
  EXPECT_TRUE(is_unknown({constant(1), op(DW_OP_drop)}));
  EXPECT_TRUE(is_unknown({constant(1), op(DW_OP_entry_value)}));
}

TEST_F(Location, tells_values_from_addresses) {
  const MemoryLocation value = find({constant(42), op(DW_OP_stack_value)});
  EXPECT_EQ(value.kind, Kind::Value);
  EXPECT_EQ(value.word, 42u);
}

TEST_F(Location, takes_one_piece_for_the_whole_and_none_of_several) {
  EXPECT_EQ(word({constant(9), op(DW_OP_piece, 8)}), 9u);
  EXPECT_TRUE(is_unknown({constant(9), op(DW_OP_piece, 4), constant(10), op(DW_OP_piece, 4)}));
}

TEST(LocationCoverage, knows_preserved_registers_of_a_frame_that_has_called) {
  const auto known = [](unsigned atom, bool has_called) {
    const Dwarf_Op operation{static_cast<std::uint8_t>(atom), 0, 0, 0};
    return can_evaluate(&operation, 1, has_called);
  };
  EXPECT_TRUE(known(DW_OP_reg0, false));
  EXPECT_FALSE(known(DW_OP_reg0, true));
  for (const unsigned preserved : {DW_OP_reg3, DW_OP_reg6, DW_OP_reg7, DW_OP_reg12})
    EXPECT_TRUE(known(preserved, true));
  EXPECT_FALSE(known(DW_OP_reg16, false));
  EXPECT_FALSE(known(DW_OP_reg31, false));
}

}  // namespace
}  // namespace heddle::binary
