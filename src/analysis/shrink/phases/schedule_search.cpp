#include "shrink/phases/schedule_search.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "explore/systematic/systematic_search.h"
#include "explore/workers/executor.h"

namespace heddle::shrink {

ScheduleSearch search_schedules(Reduction& reduction, const clip::Omitted& omitted, std::uint64_t preemptions_max,
                                const FailureTrials::Holds& holds, std::uint64_t steps_max) {
  FailureTrials& trials = reduction.trials;
  Budget& budget = reduction.budget;
  explore::Executor executor(trials.program(), -1);
  explore::SystematicSearch search(
      {explore::SearchMode::Preemptions, static_cast<std::uint32_t>(preemptions_max), true});
  const auto is_complete = [&] { return search.bound_completed() >= preemptions_max; };
  run::SessionInputs inputs;
  run::RunOptions options = trials.options();
  options.omitted = omitted;
  inputs.config.strategy = format::StrategyKind::Systematic;
  inputs.config.seed = options.seed;
  inputs.config.default_order = explore::default_order_of(explore::SearchMode::Preemptions);
  inputs.config.steps_max = trials.steps_max();
  if (Status begun = executor.begin(options, Heuristics::kHostsOfSearch, true); !begun) return {{}, is_complete()};
  const std::uint64_t begin = budget.steps();
  std::uint64_t longest = 0;
  while (!trials.stopped() && budget.steps() - begin < steps_max && budget.can_afford(1, longest)) {
    const std::optional<explore::SearchItem> item = search.next();
    if (!item) break;
    inputs.deviations = item->deviations;
    const Result<explore::Executor::Made> made = executor.run(inputs, true);
    if (!made) break;
    budget.count_rounds(1);
    budget.spend(made->steps);
    longest = std::max(longest, made->steps);
    const bool followed = made->trial.outcome.kind != format::OutcomeKind::Diverged && !made->trial.interrupted;
    const explore::Executor::DecisionLog log = executor.decision_log();
    search.finished(*item, log.words, log.overflown || !followed);
    if (!trials.may_be_wanted(made->trial)) continue;
    const std::optional<experiment::Schedule> schedule = trials.schedule_made_by(inputs, omitted);
    if (!schedule) continue;
    std::optional<FailureTrials::Found> found = trials.first_failing(1, [&](std::size_t) { return *schedule; }, holds);
    if (found) return {std::move(found->failing), is_complete()};
  }
  return {{}, is_complete()};
}

bool search_fewer_preemptions(Reduction& reduction, bool& proven) {
  const Size size = reduction.best.size;
  proven = size.preemptions == 0;
  if (proven || !reduction.trials.can_serve() || !reduction.can_afford(2)) return false;
  ScheduleSearch search = search_schedules(
      reduction, reduction.best.schedule.omitted, size.preemptions - 1,
      [&](const FailingRun& failing) { return failing.size.preemptions < size.preemptions; },
      std::numeric_limits<std::uint64_t>::max());
  proven = search.complete;
  if (search.found) reduction.take(std::move(*search.found));
  return search.found.has_value();
}

bool search_fewer_threads(Reduction& reduction, const SequentialOrder& order) {
  const Size size = reduction.best.size;
  if (size.threads <= Heuristics::kThreadsEnough || !reduction.trials.can_serve() || !reduction.can_afford(2))
    return false;
  const std::vector<std::string> names = reduction.best.schedule.threads;
  for (std::size_t i = 1; i < names.size(); ++i) {
    clip::Omitted omitted = reduction.best.schedule.omitted;
    omitted.threads.push_back(names[i]);
    const auto holds = [&](const FailingRun& failing) {
      return failing.size.preemptions <= size.preemptions && reduction.oracle.passes(order, omitted);
    };
    ScheduleSearch search = search_schedules(reduction, omitted, size.preemptions, holds,
                                             reduction.budget.affordable() / Heuristics::kSearchShare);
    if (!search.found) continue;
    reduction.take(std::move(*search.found));
    return true;
  }
  return false;
}

}  // namespace heddle::shrink
