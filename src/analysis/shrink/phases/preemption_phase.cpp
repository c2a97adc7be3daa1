#include <algorithm>

#include "shrink/ddmin.h"
#include "shrink/phases/phases.h"

namespace heddle::shrink {
namespace {

bool has_fewer_preemptions(const Size& a, const Size& b) { return a.preemptions < b.preemptions; }
bool has_fewer_switches(const Size& a, const Size& b) {
  return a.preemptions <= b.preemptions && a.switches < b.switches;
}

std::vector<std::uint32_t> difference(const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& kept) {
  std::vector<std::uint32_t> rest;
  std::set_difference(all.begin(), all.end(), kept.begin(), kept.end(), std::back_inserter(rest));
  return rest;
}

void remove_many(Reduction& reduction) {
  const experiment::Schedule schedule = reduction.best.schedule;
  const std::vector<std::uint32_t> stops = experiment::preemptions_of(schedule);
  ddmin(stops, [&](std::size_t count, const std::function<Kept(std::size_t)>& kept) -> std::optional<std::size_t> {
    std::optional<FailureTrials::Found> found = reduction.trials.first_failing(
        count, [&](std::size_t i) { return experiment::without_stops(schedule, difference(stops, kept(i))); },
        [&](const FailingRun& failing) { return has_fewer_preemptions(failing.size, reduction.best.size); });
    if (!found) return std::nullopt;
    reduction.take(std::move(found->failing));
    return found->index;
  });
}

// Without the stop: its thread goes on, or what it did comes later.
experiment::Schedule variant(const experiment::Schedule& schedule, const std::vector<std::uint32_t>& stops,
                             std::size_t i) {
  const std::uint32_t turn = stops[i % stops.size()];
  return i < stops.size() ? experiment::without_stops(schedule, {turn}) : experiment::postponed(schedule, turn);
}

// One at a time, of the execution as it went.
bool remove_one(Reduction& reduction) {
  const experiment::Schedule schedule = reduction.best.schedule;
  const std::vector<std::uint32_t> stops = experiment::preemptions_of(schedule);
  std::optional<FailureTrials::Found> found = reduction.trials.first_failing(
      2 * stops.size(), [&](std::size_t i) { return variant(schedule, stops, i); },
      [&](const FailingRun& failing) { return has_fewer_preemptions(failing.size, reduction.best.size); });
  if (found) reduction.take(std::move(found->failing));
  return found.has_value();
}

bool remove_switch(Reduction& reduction) {
  const experiment::Schedule schedule = reduction.best.schedule;
  std::optional<FailureTrials::Found> found = reduction.trials.first_failing(
      schedule.turns.size(),
      [&](std::size_t i) { return experiment::postponed(schedule, static_cast<std::uint32_t>(i)); },
      [&](const FailingRun& failing) { return has_fewer_switches(failing.size, reduction.best.size); });
  if (found) reduction.take(std::move(found->failing));
  return found.has_value();
}

}  // namespace

bool remove_preemptions(Reduction& reduction) {
  const Size before = reduction.best.size;
  remove_many(reduction);
  while (remove_one(reduction)) {
  }
  while (reduction.budget.can_afford(reduction.best.schedule.turns.size(), reduction.best.size.events) &&
         remove_switch(reduction)) {
  }
  return has_fewer_preemptions(reduction.best.size, before) || has_fewer_switches(reduction.best.size, before);
}

}  // namespace heddle::shrink
