#include "slice/backward/wanted_values.h"

#include <algorithm>

namespace heddle::slice {

WantedValues::WantedValues(const binary::FunctionFlow& flow, const binary::FunctionFlow::Position& place)
    : flow_(&flow), slots_(flow.slots / 64 + 1), block_(place.block), step_(place.step) {}

void WantedValues::want_argument(std::uint32_t argument) {
  if (arguments_.size() <= argument / 64) arguments_.resize(argument / 64 + 1);
  arguments_[argument / 64] |= std::uint64_t{1} << argument % 64;
}

void WantedValues::go_back_to(const binary::FunctionFlow::Position& place) {
  const std::vector<binary::Step>& steps = flow_->blocks[place.block].steps;
  if (block_ != place.block) go_to_end_of(place.block);
  while (step_ > place.step) undo_silent(steps[--step_]);
  step_ = place.step;
}

// An access among these was not made this time, or its site is not armed.
void WantedValues::undo_silent(const binary::Step& step) {
  if (step.kind == binary::StepKind::Branch || step.kind == binary::StepKind::Phi ||
      step.kind == binary::StepKind::Call)
    return;
  if (step.kind == binary::StepKind::Return) {
    if (!returned_) return;
    returned_ = false;
  } else if (!take_slot(step)) {
    return;
  }
  want(step.sources);
  if (step.kind == binary::StepKind::Assign || step.kind == binary::StepKind::Return) control_ = true;
}

bool WantedValues::undo_call(const binary::Step& step) {
  --step_;
  const bool wanted = take_slot(step) || call_;
  for (std::uint32_t i = 0; i < step.arguments.size(); ++i)
    if (wanted || (i / 64 < arguments_.size() && has(arguments_, i))) want(step.arguments[i]);
  call_ = false;
  arguments_.clear();
  return wanted;
}

void WantedValues::meet(std::uint32_t block) {
  if (control_) open_.push_back(moves_);
  control_ = false;
  if (open_.empty()) return;
  if (met_.empty()) met_.resize(flow_->blocks.size());
  met_[block] = ++moves_;
}

bool WantedValues::close_decisions(const binary::Block& branch) {
  const std::size_t open = open_.size();
  const bool never_joins = branch.join >= flow_->blocks.size();
  while (!open_.empty() && (never_joins || met_[branch.join] <= open_.back())) open_.pop_back();
  return open_.size() != open;
}

bool WantedValues::undo_phis(const std::vector<binary::Step>& steps, std::uint32_t from) {
  std::vector<const binary::Step*> wanted;
  for (const binary::Step& step : steps) {
    if (step.kind != binary::StepKind::Phi) break;
    if (take_slot(step)) wanted.push_back(&step);
  }
  // All phis read their sources before the first one is set.
  for (const binary::Step* step : wanted) {
    const auto source = std::find_if(step->ways.begin(), step->ways.end(),
                                     [&](const binary::WayIn& other) { return other.block == from; });
    if (source != step->ways.end()) want(source->sources);
  }
  return !wanted.empty();
}

bool WantedValues::undo_move(std::uint32_t block, std::uint32_t from) {
  if (skip_move(block, from)) return false;
  const binary::Block& self = flow_->blocks[block];
  if (live_ || block_ != block) go_back_to({block, self.phis});
  meet(block);
  // The value of a phi depends on the decision, also at the block where the paths join.
  bool decided = live_ && undo_phis(self.steps, from);
  const binary::Block& before = flow_->blocks[from];
  go_to_end_of(from);
  if (before.successors.size() < 2) {
    control_ = control_ || decided;
    return false;
  }
  decided = close_decisions(before) || decided;
  if (!decided) return false;
  if (!before.steps.empty() && before.steps.back().kind == binary::StepKind::Branch) want(before.steps.back().sources);
  control_ = true;
  return true;
}

}  // namespace heddle::slice
