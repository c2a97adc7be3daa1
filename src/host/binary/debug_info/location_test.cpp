#include "binary/debug_info/location.h"

#include <dwarf.h>
#include <gtest/gtest.h>

#include "tests/support/core_writer.h"
#include "tests/support/opened_core.h"

namespace heddle::binary {
namespace {

using Kind = MemoryLocation::Kind;

constexpr std::uint64_t kMemory = 0x1000, kMemorySize = 0x100;

// Expressions without registers. Each word of the memory holds its own address.
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

TEST_F(Location, adds_the_bias_to_a_file_address) { EXPECT_EQ(word({op(DW_OP_addr, 0x1234)}), 0x401234u); }

TEST_F(Location, adds_offsets_to_the_frame_base) {
  EXPECT_EQ(word({op(DW_OP_call_frame_cfa)}), 0x7000u);
  EXPECT_EQ(word({op(DW_OP_fbreg, static_cast<std::uint64_t>(-16))}), 0x70f0u);
}

TEST_F(Location, pops_the_right_operand_before_the_left_one) {
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

TEST_F(Location, survives_division_by_zero_and_an_overflowing_quotient) {
  EXPECT_EQ(word({constant(7), constant(0), op(DW_OP_div)}), static_cast<std::uint64_t>(-7));
  const std::uint64_t least = std::uint64_t{1} << 63;
  EXPECT_EQ(word({constant(least), constant(static_cast<std::uint64_t>(-1)), op(DW_OP_div)}), least);
}

TEST_F(Location, shifts_by_more_than_a_word_yield_zero_or_the_sign) {
  EXPECT_EQ(word({constant(1), constant(64), op(DW_OP_shl)}), 0u);
  EXPECT_EQ(word({constant(1), constant(200), op(DW_OP_shr)}), 0u);
  EXPECT_EQ(word({constant(static_cast<std::uint64_t>(-1)), constant(200), op(DW_OP_shra)}), ~std::uint64_t{0});
}

TEST_F(Location, reads_memory_of_the_image) {
  EXPECT_EQ(word({constant(kMemory + 8), op(DW_OP_deref)}), kMemory + 8);
  EXPECT_EQ(word({constant(kMemory + 8), op(DW_OP_deref_size, 1)}), (kMemory + 8) & 0xff);
}

TEST_F(Location, reads_only_as_many_bytes_as_the_size_operand) {
  const std::uint64_t last = kMemory + kMemorySize - 2;
  EXPECT_EQ(word({constant(last), op(DW_OP_deref_size, 2)}), 0u);
  EXPECT_TRUE(is_unknown({constant(last), op(DW_OP_deref)}));
}

TEST_F(Location, fails_outside_of_the_image) {
  EXPECT_TRUE(is_unknown({constant(kMemory - 8), op(DW_OP_deref)}));
  EXPECT_TRUE(is_unknown({constant(~std::uint64_t{0}), op(DW_OP_deref)}));
}

TEST_F(Location, rejects_sizes_of_zero_and_of_more_than_a_word) {
  EXPECT_TRUE(is_unknown({constant(kMemory), op(DW_OP_deref_size, 0)}));
  EXPECT_TRUE(is_unknown({constant(kMemory), op(DW_OP_deref_size, 9)}));
}

TEST_F(Location, rejects_an_operation_without_its_operands) {
  for (const unsigned atom : {DW_OP_plus, DW_OP_minus, DW_OP_div, DW_OP_shl})
    EXPECT_TRUE(is_unknown({constant(1), op(atom)})) << atom;
  for (const unsigned atom : {DW_OP_neg, DW_OP_not, DW_OP_dup, DW_OP_drop, DW_OP_deref, DW_OP_plus_uconst, DW_OP_piece})
    EXPECT_TRUE(is_unknown({op(atom)})) << atom;
}

TEST_F(Location, rejects_an_empty_expression_and_unknown_operations) {
  EXPECT_TRUE(is_unknown({}));
  EXPECT_TRUE(is_unknown({constant(1), op(DW_OP_drop)}));
  EXPECT_TRUE(is_unknown({constant(1), op(DW_OP_entry_value)}));
}

TEST_F(Location, distinguishes_values_from_addresses) {
  const MemoryLocation value = find({constant(42), op(DW_OP_stack_value)});
  EXPECT_EQ(value.kind, Kind::Value);
  EXPECT_EQ(value.word, 42u);
}

TEST_F(Location, accepts_a_single_piece_and_rejects_several) {
  EXPECT_EQ(word({constant(9), op(DW_OP_piece, 8)}), 9u);
  EXPECT_TRUE(is_unknown({constant(9), op(DW_OP_piece, 4), constant(10), op(DW_OP_piece, 4)}));
}

TEST(LocationCoverage, covers_callee_saved_registers_of_a_frame_in_a_call) {
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
