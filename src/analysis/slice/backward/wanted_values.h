#pragma once
// Control dependence: B. Xin, X. Zhang, "Efficient Online Detection of Dynamic Control Dependence", ISSTA 2007. A
// branch governs the code up to the point where its paths join. Backward: a wanted event depends on the nearest earlier
// branch with paths that have not joined in between.
#include <cstdint>
#include <vector>

#include "binary/sections/flow_rows.h"

namespace heddle::slice {

// The backward pass through one invocation of a function: its wanted values (slots) and decisions.
//
// The pass reaches only the recorded steps of a block; go_back_to() undoes the unrecorded ones between them. A wanted
// decision is stored as a number of moves, not as a branch: a branch governs it if the branch's paths have not joined
// since then. If several decisions are wanted, the latest one in the pass decides, so they form a stack (`open_`).
//
// Most moves are irrelevant. skip_move() undoes them with the block's outline only, which is next to its neighbours in
// memory; the steps are read only if one of them sets a wanted slot.
class WantedValues {
 public:
  // `place`: the steps from there on are irrelevant.
  WantedValues(const binary::FunctionFlow& flow, const binary::FunctionFlow::Position& place);

  void want_returned() { returned_ = live_ = true; }
  void want(const binary::Slots& slots) {
    for (const std::uint32_t slot : slots) slots_[slot / 64] |= std::uint64_t{1} << slot % 64;
    live_ = true;
  }
  // Wants the decision that governs the present place.
  void want_control() { control_ = true; }
  // Wants the call that the pass reaches next, or one of its arguments.
  void want_call() { call_ = true; }
  void want_argument(std::uint32_t argument);
  // False if only the result of that call may be wanted.
  bool wants_call() const { return call_ || !arguments_.empty(); }

  // False if no earlier step of the present block sets a wanted slot; then its accesses need not be visited.
  bool is_live() const { return live_; }

  // Undoes the unrecorded steps from `place` on.
  void go_back_to(const binary::FunctionFlow::Position& place);
  // Undoes a recorded step. True if its slot was wanted.
  bool undo(const binary::Step& step) {
    --step_;
    return take_slot(step);
  }
  bool wants_slot(std::uint32_t slot) const { return slot != binary::kNoSlot && has(slots_, slot); }
  // Undoes a call. True if the call is relevant, with all its arguments.
  bool undo_call(const binary::Step& step);
  // Undoes the move to a block from another. True if the decision there was wanted; then its condition is wanted now.
  bool undo_move(std::uint32_t block, std::uint32_t from);
  // The same for a move without a wanted step or decision. False, without effect, for any other move.
  [[gnu::always_inline]] bool skip_move(std::uint32_t block, std::uint32_t from) {
    if (live_ || control_ || block_ != block) return false;
    if (!open_.empty()) {
      const binary::BlockOutline& before = flow_->outlines[from];
      if (before.branches) {
        const bool meets = before.join < met_.size();
        if (!meets || (before.join == block ? moves_ + 1 : met_[before.join]) <= open_.back()) return false;
      }
      met_[block] = ++moves_;
    }
    go_to_end_of(from);
    return true;
  }
  // Undoes the beginning of the function in this block. Afterwards wants_control() and wants_argument() are final.
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
  void go_to_end_of(std::uint32_t block) {
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
  // True if a decision of the branch at the end of the block is wanted.
  bool close_decisions(const binary::Block& branch);
  // True if the slot of a phi was wanted, so that the decision is wanted, too.
  bool undo_phis(const std::vector<binary::Step>& steps, std::uint32_t from);

  const binary::FunctionFlow* flow_;
  Bits slots_;
  Bits arguments_;
  // Wanted decisions, each as the number of moves that were undone before it.
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t>
      met_;  // by block: the number of moves when it was reached last; only while `open_` is not empty
  std::uint32_t moves_ = 0;
  std::uint32_t block_, step_;
  bool control_ = false, call_ = false, returned_ = false;
  bool live_ = true;
};

}  // namespace heddle::slice
