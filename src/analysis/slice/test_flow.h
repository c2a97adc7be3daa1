#pragma once
// Builders of function flows for tests.
#include <cstdint>
#include <utility>
#include <vector>

#include "binary/sections/flow_rows.h"

namespace heddle::slice {

inline binary::Step plain(binary::StepKind kind, binary::Slots sources, std::uint32_t slot = binary::kNoSlot) {
  binary::Step step;
  step.kind = kind;
  step.slot = slot;
  step.sources = std::move(sources);
  return step;
}

inline binary::Step access(std::uint64_t name, std::uint32_t slot = binary::kNoSlot, binary::Slots sources = {}) {
  binary::Step step = plain(binary::StepKind::Access, std::move(sources), slot);
  step.name = name;
  return step;
}

inline binary::Step call(std::uint32_t number, std::uint32_t slot, std::vector<binary::Slots> arguments) {
  binary::Step step = plain(binary::StepKind::Call, {}, slot);
  step.call = number;
  step.arguments = std::move(arguments);
  return step;
}

inline binary::Step phi(std::uint32_t slot, std::vector<binary::WayIn> ways) {
  binary::Step step = plain(binary::StepKind::Phi, {}, slot);
  step.ways = std::move(ways);
  return step;
}

inline binary::FunctionFlow function(std::uint32_t slots, std::uint32_t arguments, std::vector<binary::Block> blocks) {
  binary::FunctionFlow flow;
  flow.slots = slots;
  flow.arguments = arguments;
  flow.blocks = std::move(blocks);
  return flow;
}

}  // namespace heddle::slice
