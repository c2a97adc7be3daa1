#include "slice/invocations.h"

#include <algorithm>

namespace heddle::slice {

NodeId Invocations::combined(const Dependences& dependences) {
  const std::span<const NodeId> nodes = dependences.nodes();
  if (nodes.empty()) return kNoNode;
  return nodes.size() == 1 ? nodes.front() : graph_.add({0, thread_, {}}, dependences);
}

// What a decision or an acquisition that is younger depends on already is not said again.
void Invocations::add_context(Dependences& found) const {
  const NodeId control = frames_.empty() ? beginning_ : control_of(frames_.back());
  const NodeId wait = synchronisation_.last_wait(thread_), lock = synchronisation_.innermost_lock(thread_);
  found.add(control);
  if (lock > control) found.add(lock);
  if (wait > control && wait > lock) found.add(wait);
}

void Invocations::come_to(const FunctionFlow& flow, std::uint32_t point, std::uint64_t base) {
  const bool is_block = point < flow.blocks.size();
  if (is_block && point == 0) {
    // Nothing goes back to the first block of a function.
    while (!frames_.empty() && frames_.back().base <= base) leave();
    enter(flow, base);
    return;
  }
  while (!frames_.empty() && (frames_.back().base < base || (frames_.back().base == base && frames_.back().flow != &flow)))
    leave();
  if (frames_.empty() || frames_.back().base != base) enter(flow, base);
  if (is_block) {
    move_to(point);
  } else if (const FunctionFlow::Place* call = flow.find_call(point - static_cast<std::uint32_t>(flow.blocks.size()))) {
    make_call(*call);
  }
}

void Invocations::enter(const FunctionFlow& flow, std::uint64_t base) {
  const Step* call = frames_.empty() ? nullptr : frames_.back().call;
  Frame frame{&flow, base, call != nullptr ? last_call_ : beginning_, kNoNode, slots_.size(), decisions_.size()};
  if (!frames_.empty() && call == nullptr) frame.control = control_of(frames_.back());
  slots_.resize(slots_.size() + flow.slots, kNoNode);
  if (call != nullptr) {
    // A library that calls back hands other arguments over than it was called with.
    const bool direct = arguments_.size() == flow.arguments;
    for (std::uint32_t i = 0; i < flow.arguments; ++i) slots_[frame.slots + i] = direct ? arguments_[i] : last_call_;
  } else {
    for (std::uint32_t i = 0; i < flow.arguments; ++i) slots_[frame.slots + i] = frame.control;
  }
  frames_.push_back(frame);
}

void Invocations::leave() {
  Frame& frame = frames_.back();
  const std::vector<Step>& steps = frame.flow->blocks[frame.block].steps;
  // Otherwise it was left by an exception, or by a jump.
  if (!steps.empty() && steps.back().kind == StepKind::Return) run_until(frame, static_cast<std::uint32_t>(steps.size()));
  const NodeId returned = frame.returned;
  slots_.resize(frame.slots);
  decisions_.resize(frame.decisions);
  frames_.pop_back();
  if (frames_.empty() || frames_.back().call == nullptr || returned == kNoNode) return;
  const Frame& caller = frames_.back();
  scratch_.clear();
  scratch_.add(slot(caller, caller.call->slot));
  scratch_.add(returned);
  slot(caller, caller.call->slot) = combined(scratch_);
}

void Invocations::move_to(std::uint32_t block) {
  Frame& frame = frames_.back();
  const Block& before = frame.flow->blocks[frame.block];
  run_until(frame, static_cast<std::uint32_t>(before.steps.size()));
  frame.call = nullptr;
  if (before.successors.size() > 1) {
    scratch_.clear();
    if (!before.steps.empty() && before.steps.back().kind == StepKind::Branch)
      add_sources(frame, before.steps.back().sources, scratch_);
    add_context(scratch_);
    const NodeId node = graph_.add({0, thread_, format::EventKind::Branch}, scratch_);
    // Of a loop the last decision is enough: it depends on those before it.
    if (decisions_.size() > frame.decisions && decisions_.back().join == before.join)
      decisions_.back().node = node;
    else
      decisions_.push_back({node, before.join});
  }
  const std::uint32_t from = frame.block;
  frame.block = block;
  frame.step = 0;
  // What is chosen by the way in depends on the decision, what follows does not.
  run_phis(frame, from);
  while (decisions_.size() > frame.decisions && decisions_.back().join == block) decisions_.pop_back();
}

// All of them have their values before the first is set.
void Invocations::run_phis(Frame& frame, std::uint32_t from) {
  const std::vector<Step>& steps = frame.flow->blocks[frame.block].steps;
  phis_.clear();
  for (const Step& step : steps) {
    if (step.kind != StepKind::Phi) break;
    scratch_.clear();
    for (const WayIn& way : step.ways)
      if (way.block == from) {
        add_sources(frame, way.sources, scratch_);
        break;
      }
    scratch_.add(control_of(frame));
    phis_.push_back(combined(scratch_));
  }
  for (; frame.step < phis_.size(); ++frame.step) slot(frame, steps[frame.step].slot) = phis_[frame.step];
}

void Invocations::run_until(Frame& frame, std::uint32_t step) {
  const std::vector<Step>& steps = frame.flow->blocks[frame.block].steps;
  const std::uint32_t end = std::min(step, static_cast<std::uint32_t>(steps.size()));
  for (; frame.step < end; ++frame.step) run(frame, steps[frame.step]);
}

// A step that nothing was told of. An access is one that its instruction did not make this time, or whose site is not
// armed.
void Invocations::run(Frame& frame, const Step& step) {
  if (step.kind == StepKind::Branch || step.kind == StepKind::Phi || step.kind == StepKind::Call) return;
  if (step.kind != StepKind::Return && step.slot == kNoSlot) return;
  scratch_.clear();
  add_sources(frame, step.sources, scratch_);
  if (step.kind == StepKind::Assign || step.kind == StepKind::Return) scratch_.add(control_of(frame));
  if (step.accumulates) scratch_.add(slot(frame, step.slot));
  const NodeId value = combined(scratch_);
  (step.kind == StepKind::Return ? frame.returned : slot(frame, step.slot)) = value;
}

void Invocations::make_call(const FunctionFlow::Place& place) {
  Frame& frame = frames_.back();
  if (!is_ahead(frame, place)) return;
  run_until(frame, place.step);
  const Step& step = frame.flow->blocks[place.block].steps[place.step];
  arguments_.clear();
  for (const Slots& sources : step.arguments) {
    scratch_.clear();
    add_sources(frame, sources, scratch_);
    arguments_.push_back(combined(scratch_));
  }
  scratch_.clear();
  for (const NodeId argument : arguments_) scratch_.add(argument);
  add_context(scratch_);
  last_call_ = graph_.add({0, thread_, format::EventKind::Branch}, scratch_);
  last_ = last_call_;
  slot(frame, step.slot) = last_call_;
  frame.call = &step;
  frame.step = place.step + 1;
}

const Step* Invocations::begin_step(const FunctionFlow::Place& place, Dependences& found) {
  Frame& frame = frames_.back();
  run_until(frame, place.step);
  const Step& step = frame.flow->blocks[place.block].steps[place.step];
  frame.step = place.step + 1;
  add_sources(frame, step.sources, found);
  return &step;
}

const Step* Invocations::begin_access(const FunctionFlow& flow, const FunctionFlow::Place& place, Dependences& found) {
  std::size_t depth = frames_.size();
  while (depth > 0 && (frames_[depth - 1].flow != &flow || !is_ahead(frames_[depth - 1], place))) --depth;
  if (depth == 0) return nullptr;
  while (frames_.size() > depth) leave();
  return begin_step(place, found);
}

const Step* Invocations::begin_private_access(std::uint32_t number, Dependences& found) {
  for (std::size_t depth = frames_.size(); depth > 0; --depth) {
    const Frame& frame = frames_[depth - 1];
    const FunctionFlow::Place* place = frame.flow->find_private(number);
    if (place == nullptr || !is_ahead(frame, *place)) continue;
    while (frames_.size() > depth) leave();
    return begin_step(*place, found);
  }
  return nullptr;
}

void Invocations::finish_access(const Step* step, NodeId node) {
  last_ = node;
  if (step == nullptr || step->slot == kNoSlot) return;
  NodeId& value = slot(frames_.back(), step->slot);
  if (step->accumulates && value != kNoNode) {
    scratch_.clear();
    scratch_.add(value);
    scratch_.add(node);
    value = combined(scratch_);
  } else {
    value = node;
  }
}

}  // namespace heddle::slice
