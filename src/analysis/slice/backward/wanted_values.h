#pragma once
// Going back through one invocation of a function: which of its values are still to be found, and which decisions.
//
// Control dependence is that of B. Xin, X. Zhang, "Efficient Online Detection of Dynamic Control Dependence" (ISSTA
// 2007): a branch governs what comes until its ways meet again. From behind: what is wanted depends on the nearest
// branch before it whose ways have met nowhere in between.
#include <cstdint>
#include <vector>

#include "binary/sections/flow_rows.h"

namespace heddle::slice {

class WantedValues {
 public:
  // `place`: all that comes from there on does not matter.
  WantedValues(const binary::FunctionFlow& flow, const binary::FunctionFlow::Position& place);

  // What the invocation gives back is wanted.
  void want_returned() { returned_ = live_ = true; }
  void want(const binary::Slots& slots) {
    for (const std::uint32_t slot : slots) slots_[slot / 64] |= std::uint64_t{1} << slot % 64;
    live_ = true;
  }
  // The decision that governs where this has gone back to.
  void want_control() { control_ = true; }
  // What the call that comes next depends on; one of its arguments.
  void want_call() { call_ = true; }
  void want_argument(std::uint32_t argument);
  // False: of the call that comes next nothing is wanted but what it sets, if that is.
  bool wants_call() const { return call_ || !arguments_.empty(); }

  // False: no step of the block that this has gone back to sets anything that is wanted. Then the accesses that it has
  // made in there need not be told.
  bool is_live() const { return live_; }

  // Undoes all steps behind this one that nothing was told of, and then the block is known.
  void go_back_to(const binary::FunctionFlow::Position& place);
  // Undoes a step that was told of. True: its slot was wanted.
  bool undo(const binary::Step& step) {
    --step_;
    return take_slot(step);
  }
  bool wants_slot(std::uint32_t slot) const { return slot != binary::kNoSlot && has(slots_, slot); }
  // A call. True: it is wanted as such, with all its arguments.
  bool undo_call(const binary::Step& step);
  // The thread came to the block from another. True: the decision there was wanted, and now what it is made by.
  bool undo_move(std::uint32_t block, std::uint32_t from);
  // The same, where no step of the block is wanted and the decision that led to it is not. False: not so, and nothing
  // was done.
  [[gnu::always_inline]] bool pass_over_move(std::uint32_t block, std::uint32_t from) {
    if (live_ || control_ || block_ != block) return false;
    if (!open_.empty()) {
      const binary::BlockOutline& before = flow_->outlines[from];
      if (before.branches) {
        const bool meets = before.join < met_.size();
        if (!meets || (before.join == block ? moves_ + 1 : met_[before.join]) <= open_.back()) return false;
      }
      met_[block] = ++moves_;
    }
    come_to_end_of(from);
    return true;
  }
  // It came to the block by the function's beginning; after that control() and has_argument() tell what is left.
  void undo_beginning(std::uint32_t block) { go_back_to({block, 0}); }
  bool wants_control() const { return control_ || !open_.empty(); }
  bool wants_argument(std::uint32_t argument) const { return has(slots_, argument); }

 private:
  using Bits = std::vector<std::uint64_t>;

  static bool has(const Bits& bits, std::uint32_t index) { return (bits[index / 64] >> index % 64 & 1) != 0; }
  bool take_slot(const binary::Step& step) {
    if (!wants_slot(step.slot)) return false;
    if (!step.accumulates) slots_[step.slot / 64] &= ~(std::uint64_t{1} << step.slot % 64);
    return true;
  }
  void undo_silent(const binary::Step& step);
  void come_to_end_of(std::uint32_t block) {
    block_ = block;
    const binary::BlockOutline& outline = flow_->outlines[block];
    step_ = outline.steps;
    live_ = returned_ || (slots_[outline.set_word] & outline.set_slots) != 0;
    if (!outline.sets_more || live_) [[likely]]
      return;
    for (const binary::SlotMask& mask : flow_->blocks[block].sets)
      live_ = live_ || (slots_[mask.word] & mask.slots) != 0;
  }
  void meet(std::uint32_t block);
  // True: the branch at the end of the block has decided something that is wanted.
  bool close_decisions(const binary::Block& branch);
  // True: one of them depends on the decision.
  bool undo_phis(const std::vector<binary::Step>& steps, std::uint32_t from);

  const binary::FunctionFlow* flow_;
  Bits slots_;
  Bits arguments_;
  // Decisions that are wanted, each as the number of moves that were undone before it was: a branch is the one if its
  // ways have not met since. So among several it is that of the ones that were wanted last.
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t>
      met_;  // by block: when it was come to last, as a number of moves; as long as something is open
  std::uint32_t moves_ = 0;
  std::uint32_t block_, step_;
  bool control_ = false, call_ = false, returned_ = false;
  bool live_ = true;
};

}  // namespace heddle::slice
