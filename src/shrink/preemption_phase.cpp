#include <algorithm>
#include <utility>

#include "shrink/ddmin.h"
#include "shrink/phases.h"

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
      2 * stops.size(),
      [&](std::size_t i) { return variant(plan, stops, i); },
      [&](const Failing& failing) { return has_fewer_preemptions(failing.size, reduction.best.size); });
  if (found) reduction.take(std::move(found->failing));
  return found.has_value();
}

// The points of a thread that look like the one at which it was stopped, the nearest first.
std::vector<std::uint32_t> similar_points(const std::vector<PointPlace>& places, const PointPlace& wanted,
                                          std::uint32_t near, std::size_t count_max) {
  std::vector<std::uint32_t> points;
  for (std::uint32_t i = 0; i < places.size(); ++i)
    if (places[i] == wanted && i + 1 != near) points.push_back(i + 1);
  const auto order = [near](std::uint32_t point) {
    return std::pair{point > near ? point - near : near - point, point};
  };
  std::sort(points.begin(), points.end(), [&](std::uint32_t a, std::uint32_t b) { return order(a) < order(b); });
  if (points.size() > count_max) points.resize(count_max);
  return points;
}

// Leaving one out may change how far another thread has to go until it is at the place where it was stopped: tries that
// place wherever it is now.
bool remove_one_and_move_another(Reduction& reduction) {
  constexpr std::size_t kStopsMax = 8;
  constexpr std::size_t kTriesOfStop = 128;  // shared by the others
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
      const std::vector<std::uint32_t> points = similar_points(
          new_places->second, old_places->second[turn.points - 1], turn.points, kTriesOfStop / stops.size());
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
  while (remove_one(reduction) || remove_one_and_move_another(reduction)) {
  }
  while (remove_switch(reduction)) {
  }
  return has_fewer_preemptions(reduction.best.size, before) || has_fewer_switches(reduction.best.size, before);
}

}  // namespace heddle::shrink
