#include "shrink/phases/phases.h"
#include "shrink/phases/schedule_search.h"

namespace heddle::shrink {

bool search_fewer_preemptions(Reduction& reduction, bool& proven) {
  const Size size = reduction.best.size;
  proven = size.preemptions == 0;
  if (proven || !reduction.trials.can_serve() || !reduction.can_afford(2)) return false;
  ScheduleSearch search(reduction, reduction.best.schedule.omitted, static_cast<std::uint32_t>(size.preemptions - 1));
  std::optional<FailingRun> found = search.find(
      [&](const FailingRun& failing) { return failing.size.preemptions < size.preemptions; }, ~std::uint64_t{0} >> 1);
  proven = search.complete();
  if (found) reduction.take(std::move(*found));
  return found.has_value();
}

bool search_fewer_threads(Reduction& reduction, const SequentialOrder& order) {
  const Size size = reduction.best.size;
  if (size.threads <= Heuristics::kThreadsEnough || !reduction.trials.can_serve() || !reduction.can_afford(2))
    return false;
  const std::vector<std::string> names = reduction.best.schedule.threads;
  for (const std::string& name : names) {
    if (name == names.front()) continue;
    clip::Omitted omitted = reduction.best.schedule.omitted;
    omitted.threads.push_back(name);
    ScheduleSearch search(reduction, omitted, static_cast<std::uint32_t>(size.preemptions));
    std::optional<FailingRun> found = search.find(
        [&](const FailingRun& failing) {
          return failing.size.preemptions <= size.preemptions && reduction.oracle.passes(order, omitted);
        },
        reduction.budget.affordable() / Heuristics::kSearchShare);
    if (!found) continue;
    reduction.take(std::move(*found));
    return true;
  }
  return false;
}

}  // namespace heddle::shrink
