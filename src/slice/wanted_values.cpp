#include "slice/wanted_values.h"

#include <algorithm>

namespace heddle::slice {

WantedValues::WantedValues(const FunctionFlow& flow, const FunctionFlow::Place& place)
    : flow_(&flow), slots_(flow.slots / 64 + 1), block_(place.block), step_(place.step) {}

void WantedValues::want_argument(std::uint32_t argument) {
  if (arguments_.size() <= argument / 64) arguments_.resize(argument / 64 + 1);
  arguments_[argument / 64] |= std::uint64_t{1} << argument % 64;
}

void WantedValues::go_back_to(const FunctionFlow::Place& place) {
  const std::vector<Step>& steps = flow_->blocks[place.block].steps;
  if (block_ != place.block) {
    block_ = place.block;
    step_ = static_cast<std::uint32_t>(steps.size());
  }
  while (step_ > place.step) undo_silent(steps[--step_]);
  step_ = place.step;
}

// An access is one that its instruction did not make this time, or whose site is not armed.
void WantedValues::undo_silent(const Step& step) {
  if (step.kind == StepKind::Branch || step.kind == StepKind::Phi || step.kind == StepKind::Call) return;
  if (step.kind == StepKind::Return) {
    if (!returned_) return;
    returned_ = false;
  } else if (!take_slot(step)) {
    return;
  }
  want(step.sources);
  if (step.kind == StepKind::Assign || step.kind == StepKind::Return) control_ = true;
}

bool WantedValues::undo_call(const Step& step) {
  --step_;
  const bool wanted = take_slot(step) || call_;
  for (std::uint32_t i = 0; i < step.arguments.size(); ++i)
    if (wanted || (i / 64 < arguments_.size() && has(arguments_, i))) want(step.arguments[i]);
  call_ = false;
  arguments_.clear();
  return wanted;
}

void WantedValues::meet(std::uint32_t block) {
  if (control_) open_.push_back({Bits(flow_->blocks.size() / 64 + 1), 0});
  control_ = false;
  std::size_t kept = 0;
  for (Open& open : open_) {
    if (!has(open.met, block)) {
      open.met[block / 64] |= std::uint64_t{1} << block % 64;
      ++open.count;
    }
    // It has met what the one before has met: from here on they are the same.
    if (kept != 0 && open_[kept - 1].count == open.count) continue;
    if (&open_[kept] != &open) open_[kept] = std::move(open);
    ++kept;
  }
  open_.resize(kept);
}

bool WantedValues::undo_phis(const std::vector<Step>& steps, std::uint32_t from) {
  std::vector<const Step*> wanted;
  for (const Step& step : steps) {
    if (step.kind != StepKind::Phi) break;
    if (take_slot(step)) wanted.push_back(&step);
  }
  // All of them have their values before the first is set.
  for (const Step* step : wanted) {
    const auto way = std::find_if(step->ways.begin(), step->ways.end(), [&](const WayIn& other) { return other.block == from; });
    if (way != step->ways.end()) want(way->sources);
  }
  return !wanted.empty();
}

bool WantedValues::undo_move(std::uint32_t block, std::uint32_t from) {
  const std::vector<Step>& steps = flow_->blocks[block].steps;
  std::uint32_t phis = 0;
  while (phis < steps.size() && steps[phis].kind == StepKind::Phi) ++phis;
  go_back_to({block, phis});
  meet(block);
  // What is chosen by the way in depends on the decision, also where its ways meet.
  bool decided = undo_phis(steps, from);
  const Block& before = flow_->blocks[from];
  block_ = from;
  step_ = static_cast<std::uint32_t>(before.steps.size());
  if (before.successors.size() < 2) {
    control_ = control_ || decided;
    return false;
  }
  const std::size_t open = open_.size();
  std::erase_if(open_, [&](const Open& other) {
    return before.join >= flow_->blocks.size() || !has(other.met, before.join);
  });
  decided = decided || open_.size() != open;
  if (!decided) return false;
  if (!before.steps.empty() && before.steps.back().kind == StepKind::Branch) want(before.steps.back().sources);
  control_ = true;
  return true;
}

}  // namespace heddle::slice
