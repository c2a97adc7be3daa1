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

std::optional<std::size_t> take_fewer_preemptions(Reduction& reduction, std::size_t count,
                                                  const FailureTrials::Make& schedule) {
  return reduction.take_first(count, schedule, [&](const FailingRun& failing) {
    return has_fewer_preemptions(failing.size, reduction.best.size);
  });
}

void remove_many(Reduction& reduction) {
  const experiment::Schedule schedule = reduction.best.schedule;
  const std::vector<std::uint32_t> preemptions = experiment::preemptions_of(schedule);
  ddmin(preemptions, [&](std::size_t count, const std::function<Kept(std::size_t)>& kept) {
    return take_fewer_preemptions(reduction, count, [&](std::size_t i) {
      return experiment::without_stops(schedule, difference(preemptions, kept(i)));
    });
  });
}

// Removes one preemption of the best run: its thread continues instead, or the turn is postponed.
bool remove_one(Reduction& reduction) {
  const experiment::Schedule schedule = reduction.best.schedule;
  const std::vector<std::uint32_t> preemptions = experiment::preemptions_of(schedule);
  return take_fewer_preemptions(reduction, 2 * preemptions.size(),
                                [&](std::size_t i) {
                                  const std::uint32_t turn = preemptions[i % preemptions.size()];
                                  return i < preemptions.size() ? experiment::without_stops(schedule, {turn})
                                                                : experiment::postponed(schedule, turn);
                                })
      .has_value();
}

bool remove_switch(Reduction& reduction) {
  const experiment::Schedule schedule = reduction.best.schedule;
  return reduction
      .take_first(
          schedule.turns.size(),
          [&](std::size_t i) { return experiment::postponed(schedule, static_cast<std::uint32_t>(i)); },
          [&](const FailingRun& failing) { return has_fewer_switches(failing.size, reduction.best.size); })
      .has_value();
}

}  // namespace

bool remove_preemptions(Reduction& reduction) {
  const Size before = reduction.best.size;
  remove_many(reduction);
  while (remove_one(reduction)) {
  }
  while (reduction.can_afford(reduction.best.schedule.turns.size()) && remove_switch(reduction)) {
  }
  return has_fewer_preemptions(reduction.best.size, before) || has_fewer_switches(reduction.best.size, before);
}

}  // namespace heddle::shrink
