#pragma once
// How values flow inside of functions, as the compiler saw it (abi/flow.h).
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
  bool accumulates = false;      // Access: the slot keeps what it had
  bool is_private = false;       // Access: `name` is its number in the function
  std::uint32_t slot = kNoSlot;  // that it sets
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
  // What FunctionFlow::index() fills in.
  std::uint32_t join = 0;  // where all ways out of it meet again; the number of blocks: only where the function ends
  std::uint32_t phis = 0;  // steps that it begins with
  std::vector<SlotMask> sets = {};  // slots that one of its steps sets
};

// Of a block all that is asked of nearly every one that is gone back through, close together.
struct BlockOutline {
  std::uint64_t set_slots = 0;  // with set_word: the first of Block::sets
  std::uint32_t set_word = 0;
  std::uint32_t steps = 0;
  std::uint32_t join = 0;
  bool branches = false;   // there is more than one way out of it
  bool sets_more = false;  // there are other Block::sets
};

struct FunctionFlow {
  std::uint64_t block_row = 0;  // address of its row of blocks, in the file's own address space
  std::uint32_t function = 0;   // its number among all that FlowFiles knows, from 1
  std::uint32_t slots = 0;
  std::uint32_t arguments = 0;
  std::vector<Block> blocks;
  std::vector<BlockOutline> outlines;  // by block; index() fills them in

  // Where the step is that an access with this name belongs to. nullptr: none.
  struct Position {
    std::uint32_t block = 0;
    std::uint32_t step = 0;
  };
  const Position* find_access(std::uint64_t name) const;
  const Position* find_private(std::uint32_t number) const { return find(privates_, number); }
  const Position* find_call(std::uint32_t number) const { return find(calls_, number); }
  // Fills in what follows from the blocks. REQUIRES: they are complete.
  void index();

 private:
  static constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};
  static const Position* find(const std::vector<Position>& places, std::uint32_t number) {
    return number < places.size() && places[number].block != kNoBlock ? &places[number] : nullptr;
  }

  std::unordered_map<std::uint64_t, Position> accesses_;
  std::vector<Position> privates_, calls_;
};

// All rows of an ELF file, by the address of their row of blocks. Empty for one that was built without.
std::map<std::uint64_t, FunctionFlow> read_flow(const std::string& path);

}  // namespace heddle::binary
