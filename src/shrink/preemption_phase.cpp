#include <algorithm>
#include <tuple>

#include "shrink/ddmin.h"
#include "shrink/phases.h"

namespace heddle::shrink {
namespace {

bool has_fewer_preemptions(const Size& a, const Size& b) {
  return a.preemptions < b.preemptions;
}
bool has_fewer_switches(const Size& a, const Size& b) {
  return a.preemptions <= b.preemptions && a.switches < b.switches;
}

std::vector<std::uint32_t> difference(const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& kept) {
  std::vector<std::uint32_t> rest;
  std::set_difference(all.begin(), all.end(), kept.begin(), kept.end(), std::back_inserter(rest));
  return rest;
}

void remove_many(Reduction& reduction) {
  const Plan plan = reduction.best.plan;
  const std::vector<std::uint32_t> stops = preemptions_of(plan);
  ddmin(stops, [&](std::size_t count, const std::function<Kept(std::size_t)>& kept) -> std::optional<std::size_t> {
    std::optional<Laboratory::Found> found = reduction.laboratory.first_failing(
        count, [&](std::size_t i) { return without_stops(plan, difference(stops, kept(i))); },
        [&](const Failing& failing) { return has_fewer_preemptions(failing.size, reduction.best.size); });
    if (!found) return std::nullopt;
    reduction.take(std::move(found->failing));
    return found->index;
  });
}

// Without the stop: its thread goes on, or what it did comes later.
Plan variant(const Plan& plan, const std::vector<std::uint32_t>& stops, std::size_t i) {
  const std::uint32_t turn = stops[i % stops.size()];
  return i < stops.size() ? without_stops(plan, {turn}) : postponed(plan, turn);
}

// One at a time, of the execution as it went.
bool remove_one(Reduction& reduction) {
  const Plan plan = reduction.best.plan;
  const std::vector<std::uint32_t> stops = preemptions_of(plan);
  std::optional<Laboratory::Found> found = reduction.laboratory.first_failing(
      2 * stops.size(), [&](std::size_t i) { return variant(plan, stops, i); },
      [&](const Failing& failing) { return has_fewer_preemptions(failing.size, reduction.best.size); });
  if (found) reduction.take(std::move(found->failing));
  return found.has_value();
}

// The points of a thread other than `near`: those that look like the one at which it was stopped before all others, and
// the nearest first.
std::vector<std::uint32_t> other_points(const std::vector<PointPlace>& places, const PointPlace& wanted,
                                        std::uint32_t near, std::size_t count_max) {
  std::vector<std::uint32_t> points;
  for (std::uint32_t point = 1; point <= places.size(); ++point)
    if (point != near) points.push_back(point);
  const auto rank = [&](std::uint32_t point) {
    return std::tuple{!(places[point - 1] == wanted), point > near ? point - near : near - point, point};
  };
  std::sort(points.begin(), points.end(), [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
  if (points.size() > count_max) points.resize(count_max);
  return points;
}

// How often a stop is moved when another one is left out: the longer the runs and the more stops, the less often.
std::size_t tries_of_stop(std::size_t stops, std::uint64_t events) {
  constexpr std::uint64_t kTries = 1024, kEvents = 20'000'000;
  const std::uint64_t all = std::min(kTries, kEvents / std::max<std::uint64_t>(events, 1));
  return std::max<std::size_t>(all / (2 * stops * (stops - 1)), 8);
}

bool remove_switch(Reduction& reduction) {
  const Plan plan = reduction.best.plan;
  std::optional<Laboratory::Found> found = reduction.laboratory.first_failing(
      plan.turns.size(), [&](std::size_t i) { return postponed(plan, static_cast<std::uint32_t>(i)); },
      [&](const Failing& failing) { return has_fewer_switches(failing.size, reduction.best.size); });
  if (found) reduction.take(std::move(found->failing));
  return found.has_value();
}

}  // namespace

bool remove_preemptions(Reduction& reduction) {
  const Size before = reduction.best.size;
  remove_many(reduction);
  while (remove_one(reduction)) {
  }
  while (remove_switch(reduction)) {
  }
  return has_fewer_preemptions(reduction.best.size, before) || has_fewer_switches(reduction.best.size, before);
}

bool remove_preemption_by_moving(Reduction& reduction) {
  constexpr std::size_t kStopsMax = 8;
  Laboratory& laboratory = reduction.laboratory;
  const Plan plan = reduction.best.plan;
  const std::vector<std::uint32_t> stops = preemptions_of(plan);
  if (stops.size() < 2 || stops.size() > kStopsMax) return false;
  const Result<Laboratory::Places> before = laboratory.places_of(plan);
  if (!before) return false;
  for (std::size_t i = 0; i < 2 * stops.size() && !laboratory.stopped(); ++i) {
    const Plan reduced = variant(plan, stops, i);
    const Result<Laboratory::Places> places = laboratory.places_of(reduced);
    if (!places) return false;
    for (const std::uint32_t stop : preemptions_of(reduced)) {
      const Turn& turn = reduced.turns[stop];
      const std::string& name = reduced.threads[turn.thread];
      const auto old_places = before->find(name), new_places = places->find(name);
      if (old_places == before->end() || new_places == places->end()) continue;
      if (turn.points == 0 || turn.points > old_places->second.size()) continue;
      const std::vector<std::uint32_t> points =
          other_points(new_places->second, old_places->second[turn.points - 1], turn.points,
                       tries_of_stop(stops.size(), reduction.best.size.events));
      std::optional<Laboratory::Found> found = laboratory.first_failing(
          points.size(),
          [&](std::size_t at) {
            Plan moved = reduced;
            moved.turns[stop].points = points[at];
            return moved;
          },
          [&](const Failing& failing) { return has_fewer_preemptions(failing.size, reduction.best.size); });
      if (!found) continue;
      reduction.take(std::move(found->failing));
      return true;
    }
  }
  return false;
}

}  // namespace heddle::shrink
