#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "format/decision_log.h"
#include "format/run_config.h"
#include "format/run_inputs.h"
#include "schedule/replay/guided_strategy.h"
#include "schedule/replay/replay_strategy.h"
#include "schedule/reusable_table.h"
#include "schedule/replay/site_replay_strategy.h"
#include "schedule/strategy.h"
#include "schedule/policy/surw_strategy.h"
#include "schedule/replay/turns_strategy.h"

namespace heddle::schedule {

// What a strategy is given besides the configuration; which of it, depends on the kind.
struct StrategyInputs {
  // Replays.
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

  std::uint64_t begin_step = 0;   // steps that were made before
  MemorySource memory = nullptr;  // for those that note something about each thread: Pct, Pos, Surw, Turns
};

// Where the strategy is made. It lives as long as this does, or until the next one is made here.
struct StrategyStorage {
  static constexpr std::size_t kBytes = 1024;

  alignas(16) std::byte strategy[kBytes]{};
  SiteReplayStrategy::Storage site_replay;  // only for ReplayBySite: see there
  ReusableTable<std::uint64_t> priorities;  // Turns: how far each thread has come
  SurwStrategy::Storage surw;
};

struct MadeStrategy {
  Strategy* strategy;
  // The same object, for what only these can tell; else nullptr.
  const ReplayStrategy* replay;
  const SiteReplayStrategy* site_replay;
  const GuidedStrategy* guided = nullptr;
  const TurnsStrategy* turns = nullptr;
};

// What was made in the storage before is gone; the memory that it had is used again. A kind that is not known is the
// sequential one.
MadeStrategy make_strategy(const format::SessionConfig& config, const StrategyInputs& inputs, StrategyStorage& storage);

}  // namespace heddle::schedule
