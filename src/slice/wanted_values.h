#pragma once
// Going back through one invocation of a function: which of its values are still to be found, and which decisions.
//
// Control dependence is that of B. Xin, X. Zhang, "Efficient Online Detection of Dynamic Control Dependence" (ISSTA 2007): a
// branch governs what comes until its ways meet again. From behind: what is wanted depends on the nearest branch before it
// whose ways have met nowhere in between.
#include <cstdint>
#include <vector>

#include "slice/flow_rows.h"

namespace heddle::slice {

class WantedValues {
 public:
  // `place`: all that comes from there on does not matter.
  WantedValues(const FunctionFlow& flow, const FunctionFlow::Place& place);

  // What the invocation gives back is wanted.
  void want_returned() { returned_ = true; }
  void want(const Slots& slots) {
    for (const std::uint32_t slot : slots) slots_[slot / 64] |= std::uint64_t{1} << slot % 64;
  }
  // The decision that governs where this has gone back to.
  void want_control() { control_ = true; }
  // What the call that comes next depends on; one of its arguments.
  void want_call() { call_ = true; }
  void want_argument(std::uint32_t argument);

  // Undoes all steps behind this one that nothing was told of, and then the block is known.
  void go_back_to(const FunctionFlow::Place& place);
  // Undoes a step that was told of. True: its slot was wanted.
  bool undo(const Step& step) {
    --step_;
    return take_slot(step);
  }
  bool wants_slot(std::uint32_t slot) const { return slot != kNoSlot && has(slots_, slot); }
  // A call. True: it is wanted as such, with all its arguments.
  bool undo_call(const Step& step);
  // The thread came to the block from another. True: the decision there was wanted, and now what it is made by.
  bool undo_move(std::uint32_t block, std::uint32_t from);
  // It came to the block by the function's beginning; after that control() and has_argument() tell what is left.
  void undo_beginning(std::uint32_t block) { go_back_to({block, 0}); }
  bool wants_control() const { return control_ || !open_.empty(); }
  bool wants_argument(std::uint32_t argument) const { return has(slots_, argument); }

 private:
  using Bits = std::vector<std::uint64_t>;
  // A decision that is wanted, and the blocks that the thread came to since. Who was wanted earlier, that is for something
  // later, has met all that the others have met.
  struct Open {
    Bits met;
    std::uint32_t count;
  };

  static bool has(const Bits& bits, std::uint32_t index) { return (bits[index / 64] >> index % 64 & 1) != 0; }
  bool take_slot(const Step& step) {
    if (!wants_slot(step.slot)) return false;
    if (!step.accumulates) slots_[step.slot / 64] &= ~(std::uint64_t{1} << step.slot % 64);
    return true;
  }
  void undo_silent(const Step& step);
  void meet(std::uint32_t block);
  // True: one of them depends on the decision.
  bool undo_phis(const std::vector<Step>& steps, std::uint32_t from);

  const FunctionFlow* flow_;
  Bits slots_;
  Bits arguments_;
  std::vector<Open> open_;
  std::uint32_t block_, step_;
  bool control_ = false, call_ = false, returned_ = false;
};

}  // namespace heddle::slice
