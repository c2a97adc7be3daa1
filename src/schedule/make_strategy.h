#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "format/session.h"
#include "schedule/replay_strategy.h"
#include "schedule/site_replay_strategy.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// What the replaying strategies follow; the others need none of it.
struct ReplayInputs {
  std::span<const format::ReplayRun> runs;
  std::span<const std::uint32_t> choices;
  std::span<const format::SiteSwitch> switches;
  std::span<const std::uint64_t> site_names;
  ThreadOfDescent thread_of;
  NameOfSite name_of;
};

// Where the strategy is made. It lives as long as this does.
struct StrategyStorage {
  static constexpr std::size_t kBytes = 1024;

  alignas(16) std::byte strategy[kBytes];
  SiteReplayStrategy::Storage site_replay;  // only for ReplayBySite: see there
};

struct MadeStrategy {
  Strategy* strategy;
  // The same object, for what only these can tell; else nullptr.
  const ReplayStrategy* replay;
  const SiteReplayStrategy* site_replay;
};

// REQUIRES: the storage is unused. A kind that is not known is the sequential one.
MadeStrategy make_strategy(const format::SessionConfig& config, const ReplayInputs& inputs, StrategyStorage& storage);

}  // namespace heddle::schedule
