#include "shrink/phases/schedule_search.h"

#include <algorithm>
#include <utility>

#include "run/replay/clip_builder.h"

namespace heddle::shrink {

ScheduleSearch::ScheduleSearch(Laboratory& laboratory, clip::Omitted omitted, std::uint32_t preemptions_max)
    : laboratory_(laboratory),
      omitted_(std::move(omitted)),
      preemptions_max_(preemptions_max),
      executor_(laboratory.program(), -1),
      search_({explore::SearchMode::Preemptions, preemptions_max, true}) {}

std::optional<FailingRun> ScheduleSearch::find(const Laboratory::Holds& holds, std::uint64_t steps_max) {
  constexpr std::uint32_t kHosts = 8;
  run::SessionInputs inputs;
  inputs.config.strategy = format::StrategyKind::Systematic;
  inputs.config.default_order = explore::default_order_of(explore::SearchMode::Preemptions);
  inputs.config.steps_max = laboratory_.steps_max();
  if (Status named = run::omit(omitted_, inputs); !named) return std::nullopt;
  if (Status begun = executor_.begin(laboratory_.options(), kHosts, true); !begun) return std::nullopt;
  const std::uint64_t end = laboratory_.steps() + steps_max;
  while (!laboratory_.stopped() && laboratory_.steps() < end && laboratory_.can_afford(1, longest_)) {
    const std::optional<explore::SearchItem> item = search_.next();
    if (!item) break;
    inputs.deviations = item->deviations;
    const Result<explore::Executor::Made> made = executor_.run(inputs, true);
    if (!made) break;
    laboratory_.count(made->steps);
    longest_ = std::max(longest_, made->steps);
    const bool followed = made->run.outcome.kind != format::OutcomeKind::Diverged && !made->run.interrupted;
    search_.finished(*item, executor_.decision_log(), executor_.log_overflown() || !followed);
    if (!laboratory_.may_be_wanted(made->run.outcome.kind, made->failure_key)) continue;
    const std::optional<experiment::Schedule> plan = laboratory_.schedule_made_by(inputs, omitted_);
    if (!plan) continue;
    std::optional<Laboratory::Found> found = laboratory_.first_failing(1, [&](std::size_t) { return *plan; }, holds);
    if (found) return std::move(found->failing);
  }
  return std::nullopt;
}

}  // namespace heddle::shrink
