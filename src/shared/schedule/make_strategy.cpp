#include "schedule/make_strategy.h"

#include <new>

#include "schedule/policy/pct_strategy.h"
#include "schedule/policy/pos_strategy.h"
#include "schedule/policy/random_strategy.h"
#include "schedule/policy/round_robin_strategy.h"
#include "schedule/policy/sequential_strategy.h"
#include "schedule/policy/systematic_strategy.h"

namespace heddle::schedule {
namespace {

template <typename Kind, typename... Arguments>
Kind* make(StrategyStorage& storage, Arguments&&... arguments) {
  static_assert(sizeof(Kind) <= StrategyStorage::kBytes && alignof(Kind) <= 16);
  return new (storage.strategy) Kind(arguments...);
}

}  // namespace

MadeStrategy make_strategy(const format::SessionConfig& config, const StrategyInputs& inputs,
                           StrategyStorage& storage) {
  using Order = SequentialStrategy::Order;
  switch (config.strategy) {
    case format::StrategyKind::Sequential:
      break;
    case format::StrategyKind::SequentialReverse:
      return {make<SequentialStrategy>(storage, Order::ByReverseId, config.seed)};
    case format::StrategyKind::SequentialRandom:
      return {make<SequentialStrategy>(storage, Order::Random, config.seed)};
    case format::StrategyKind::RoundRobin:
      return {make<RoundRobinStrategy>(storage, config.quantum)};
    case format::StrategyKind::Random:
      return {make<RandomStrategy>(storage, config.seed, config.quantum)};
    case format::StrategyKind::Replay: {
      auto* const replay = make<ReplayStrategy>(storage, inputs.runs, inputs.choices, inputs.thread_of);
      return {.strategy = replay, .replay = replay};
    }
    case format::StrategyKind::ReplayBySite: {
      const SiteReplayStrategy::Inputs wanted{inputs.switches,  inputs.site_names, inputs.choices,
                                              inputs.thread_of, inputs.name_of,    config.fair_points};
      auto* const replay = make<SiteReplayStrategy>(storage, wanted, storage.site_replay);
      return {.strategy = replay, .site_replay = replay};
    }
    case format::StrategyKind::Pct: {
      storage.priorities.begin(inputs.memory);
      const PctStrategy::Parameters wanted{config.seed, config.depth, config.length, inputs.begin_step};
      return {make<PctStrategy>(storage, wanted, storage.priorities)};
    }
    case format::StrategyKind::Pos:
      storage.priorities.begin(inputs.memory);
      return {make<PosStrategy>(storage, config.seed, storage.priorities)};
    case format::StrategyKind::Surw: {
      storage.surw.families.begin(inputs.memory);
      storage.surw.members.begin(inputs.memory);
      const SurwStrategy::Inputs wanted{config.seed,      inputs.interesting, inputs.counts,    inputs.descents,
                                        inputs.thread_of, config.fair_points, inputs.begin_step};
      return {make<SurwStrategy>(storage, wanted, storage.surw)};
    }
    case format::StrategyKind::Guided: {
      storage.priorities.begin(inputs.memory);
      const GuidedStrategy::Inputs wanted{inputs.runs,      config.default_order != 0, inputs.choices,
                                          inputs.thread_of, inputs.begin_step,         config.quantum,
                                          config.seed};
      auto* const guided = make<GuidedStrategy>(storage, wanted, storage.priorities);
      return {.strategy = guided, .guided = guided};
    }
    case format::StrategyKind::Turns: {
      storage.priorities.begin(inputs.memory);
      const TurnsStrategy::Inputs wanted{inputs.runs, inputs.choices, inputs.thread_of, inputs.begin_step};
      auto* const turns = make<TurnsStrategy>(storage, wanted, storage.priorities);
      return {.strategy = turns, .turns = turns};
    }
    case format::StrategyKind::Systematic: {
      const SystematicStrategy::Inputs wanted{inputs.deviations, inputs.log_words, inputs.log,
                                              SystematicStrategy::DefaultOrder{config.default_order != 0},
                                              inputs.begin_step};
      return {make<SystematicStrategy>(storage, wanted)};
    }
  }
  return {make<SequentialStrategy>(storage, Order::ById, config.seed)};
}

}  // namespace heddle::schedule
