#pragma once
// The flow of values inside functions, as the compiler recorded it (abi/flow.h).
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "support/result.h"

namespace heddle::binary {

using Slots = std::vector<std::uint32_t>;
inline constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

enum class StepKind : std::uint8_t { Access = 1, Define = 2, Assign = 3, Call = 4, Phi = 5, Branch = 6, Return = 7 };

struct WayIn {
  std::uint32_t block = 0;
  Slots sources;
};

struct Step {
  StepKind kind{};
  bool accumulates = false;      // Access: the slot also keeps its earlier sources
  bool is_private = false;       // Access: `name` is its number in the function
  std::uint32_t slot = kNoSlot;  // the slot that the step sets
  std::uint32_t call = 0;        // Call: its number
  std::uint64_t name = 0;        // Access: hash of the site's name
  Slots sources;
  std::vector<Slots> arguments;  // Call
  std::vector<WayIn> ways;       // Phi
};

// Slots 64 * word to 64 * word + 63.
struct SlotMask {
  std::uint32_t word = 0;
  std::uint64_t slots = 0;
};

struct Block {
  std::vector<std::uint32_t> successors;
  std::vector<Step> steps;
  // Filled in by FunctionFlow::index().
  std::uint32_t join = 0;           // block where all paths from here meet; the number of blocks: at the function's end
  std::uint32_t phis = 0;           // number of Phi steps at the beginning
  std::vector<SlotMask> sets = {};  // slots that the steps set
};

// The fields of a block that the backward pass reads for nearly every executed block, packed together.
struct BlockOutline {
  std::uint64_t set_slots = 0;  // with set_word: the first of Block::sets
  std::uint32_t set_word = 0;
  std::uint32_t steps = 0;
  std::uint32_t join = 0;
  bool branches = false;   // has several successors
  bool sets_more = false;  // Block::sets has further entries
};

struct FunctionFlow {
  std::uint64_t block_row = 0;  // address of the function's block row, in the file's own address space
  std::uint32_t function = 0;   // number that the slicer assigns, from 1
  std::uint32_t slots = 0;
  std::uint32_t arguments = 0;
  std::vector<Block> blocks;
  std::vector<BlockOutline> outlines;  // by block; index() fills them in

  struct Position {
    std::uint32_t block = 0;
    std::uint32_t step = 0;
  };
  // The step of an access or a call; nullptr: none.
  const Position* find_access(std::uint64_t name) const;
  const Position* find_private(std::uint32_t number) const { return find(privates_, number); }
  const Position* find_call(std::uint32_t number) const { return find(calls_, number); }
  // Computes joins, phis, sets, outlines and positions. REQUIRES: the blocks are complete.
  void index();

 private:
  static constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};
  static const Position* find(const std::vector<Position>& places, std::uint32_t number) {
    return number < places.size() && places[number].block != kNoBlock ? &places[number] : nullptr;
  }

  std::unordered_map<std::uint64_t, Position> accesses_;
  std::vector<Position> privates_, calls_;
};

// All flow rows of an ELF file, by the address of their block row. Empty if the file has none.
std::map<std::uint64_t, FunctionFlow> read_flow(const std::string& path);

}  // namespace heddle::binary
