#pragma once
// For tests: makes a strategy from a configuration, with memory from the host.
#include <cstdlib>
#include <memory>

#include "schedule/make_strategy.h"
#include "schedule/simulated_program.h"

namespace heddle::schedule {

inline void* allocate_zeroed(std::size_t bytes) { return std::calloc(1, bytes); }

// Memory that a strategy allocates is never freed, so all tests share one storage.
inline StrategyStorage& shared_storage() {
  static const auto storage = std::make_unique<StrategyStorage>();
  return *storage;
}

inline Strategy& made_strategy(const format::SessionConfig& config, StrategyInputs inputs = {}) {
  inputs.memory = allocate_zeroed;
  inputs.thread_of = SimulatedRun::thread_of;
  return *make_strategy(config, inputs, shared_storage()).strategy;
}

inline format::SessionConfig config_of(format::StrategyKind kind, std::uint64_t seed) {
  format::SessionConfig config{};
  config.strategy = kind;
  config.seed = seed;
  config.quantum = 3;
  config.depth = 3;
  config.length = 100;
  return config;
}

// Index of the operation in the order of the run.
inline std::size_t position(const Execution& execution, std::uint32_t thread, std::size_t operation) {
  for (std::size_t i = 0; i < execution.order.size(); ++i) {
    if (execution.order[i] == std::pair{thread, operation}) return i;
  }
  return execution.order.size();
}

}  // namespace heddle::schedule
