#pragma once
// Flows of functions as tests write them down.
#include <cstdint>
#include <utility>
#include <vector>

#include "slice/flow_rows.h"

namespace heddle::slice {

inline Step access(std::uint64_t name, std::uint32_t slot = kNoSlot, Slots sources = {}) {
  Step step;
  step.kind = StepKind::Access;
  step.name = name;
  step.slot = slot;
  step.sources = std::move(sources);
  return step;
}

inline Step plain(StepKind kind, Slots sources, std::uint32_t slot = kNoSlot) {
  Step step;
  step.kind = kind;
  step.slot = slot;
  step.sources = std::move(sources);
  return step;
}

inline Step call(std::uint32_t number, std::uint32_t slot, std::vector<Slots> arguments) {
  Step step;
  step.kind = StepKind::Call;
  step.call = number;
  step.slot = slot;
  step.arguments = std::move(arguments);
  return step;
}

inline Step phi(std::uint32_t slot, std::vector<WayIn> ways) {
  Step step;
  step.kind = StepKind::Phi;
  step.slot = slot;
  step.ways = std::move(ways);
  return step;
}

inline FunctionFlow function(std::uint32_t slots, std::uint32_t arguments, std::vector<Block> blocks) {
  FunctionFlow flow;
  flow.slots = slots;
  flow.arguments = arguments;
  flow.blocks = std::move(blocks);
  return flow;
}

}  // namespace heddle::slice
