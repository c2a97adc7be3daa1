#include "shrink/phases/schedule_search.h"

#include <algorithm>
#include <utility>

namespace heddle::shrink {

ScheduleSearch::ScheduleSearch(Reduction& reduction, clip::Omitted omitted, std::uint32_t preemptions_max)
    : reduction_(reduction),
      omitted_(std::move(omitted)),
      preemptions_max_(preemptions_max),
      executor_(reduction.trials.program(), -1),
      search_({explore::SearchMode::Preemptions, preemptions_max, true}) {}

std::optional<FailingRun> ScheduleSearch::find(const FailureTrials::Holds& holds, std::uint64_t steps_max) {
  run::SessionInputs inputs;
  run::RunOptions options = reduction_.trials.options();
  options.omitted = omitted_;
  inputs.config.strategy = format::StrategyKind::Systematic;
  inputs.config.seed = options.seed;
  inputs.config.default_order = explore::default_order_of(explore::SearchMode::Preemptions);
  inputs.config.steps_max = reduction_.trials.steps_max();
  if (Status begun = executor_.begin(options, Heuristics::kHostsOfSearch, true); !begun) return std::nullopt;
  const std::uint64_t end = reduction_.budget.steps() + steps_max;
  while (!reduction_.trials.stopped() && reduction_.budget.steps() < end && reduction_.budget.can_afford(1, longest_)) {
    const std::optional<explore::SearchItem> item = search_.next();
    if (!item) break;
    inputs.deviations = item->deviations;
    const Result<explore::Executor::Made> made = executor_.run(inputs, true);
    if (!made) break;
    reduction_.budget.count_rounds(1);
    reduction_.budget.spend(made->steps);
    longest_ = std::max(longest_, made->steps);
    const bool followed = made->trial.outcome.kind != format::OutcomeKind::Diverged && !made->trial.interrupted;
    const explore::Executor::DecisionLog log = executor_.decision_log();
    search_.finished(*item, log.words, log.overflown || !followed);
    if (!reduction_.trials.may_be_wanted(made->trial)) continue;
    const std::optional<experiment::Schedule> schedule = reduction_.trials.schedule_made_by(inputs, omitted_);
    if (!schedule) continue;
    std::optional<FailureTrials::Found> found =
        reduction_.trials.first_failing(1, [&](std::size_t) { return *schedule; }, holds);
    if (found) return std::move(found->failing);
  }
  return std::nullopt;
}

}  // namespace heddle::shrink
