#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "format/decision_log.h"
#include "format/run_config.h"
#include "format/run_inputs.h"
#include "schedule/policy/surw_strategy.h"
#include "schedule/replay/guided_strategy.h"
#include "schedule/replay/replay_strategy.h"
#include "schedule/replay/site_replay_strategy.h"
#include "schedule/replay/turns_strategy.h"
#include "schedule/reusable_table.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// The inputs of a strategy other than the configuration. Each kind reads its own part.
struct StrategyInputs {
  // Replay, ReplayBySite, Guided and Turns.
  std::span<const format::ReplayRun> runs{};
  std::span<const std::uint32_t> choices{};
  std::span<const format::SiteSwitch> switches{};
  std::span<const std::uint64_t> site_names{};
  ThreadOfDescent thread_of = nullptr;
  NameOfSite name_of = nullptr;
  // Systematic.
  std::span<const format::Deviation> deviations{};
  std::span<std::uint64_t> log_words{};
  format::DecisionLog* log = nullptr;
  // Surw; it needs `thread_of` as well.
  std::span<const std::uint32_t> interesting{};
  std::span<const std::uint64_t> counts{};
  std::span<const std::uint64_t> descents{};

  std::uint64_t begin_step = 0;   // steps made before the strategy starts
  MemorySource memory = nullptr;  // for strategies with a table of threads: Pct, Pos, Surw, Guided, Turns
};

// Holds one strategy. The strategy lives as long as its storage, or until the next one is made there.
struct StrategyStorage {
  static constexpr std::size_t kBytes = 1024;

  alignas(16) std::byte strategy[kBytes]{};
  SiteReplayStrategy::Storage site_replay;  // set by the caller; used by ReplayBySite only
  ReusableTable<std::uint64_t> priorities;  // by thread: priorities (Pct, Pos) or progress (Guided, Turns)
  SurwStrategy::Storage surw;
};

struct MadeStrategy {
  Strategy* strategy;
  // The same object if it has this type, for its additional queries; otherwise nullptr.
  const ReplayStrategy* replay = nullptr;
  const SiteReplayStrategy* site_replay = nullptr;
  const GuidedStrategy* guided = nullptr;
  const TurnsStrategy* turns = nullptr;
};

// Replaces the strategy in `storage` and reuses the memory of its tables. An unknown kind makes a sequential strategy.
MadeStrategy make_strategy(const format::SessionConfig& config, const StrategyInputs& inputs, StrategyStorage& storage);

}  // namespace heddle::schedule
