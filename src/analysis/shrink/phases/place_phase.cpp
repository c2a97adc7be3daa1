#include "shrink/phases/phases.h"

namespace heddle::shrink {
namespace {

using Places = RunProfiler::Places;

bool is_synchronisation(const std::vector<PointPlace>& places, std::uint32_t point) {
  return point >= 1 && point <= places.size() && places[point - 1].synchronisation();
}

// Points of the turn's thread that are better places for the preemption than the present one, the best first.
std::vector<std::uint32_t> better_points(const experiment::Schedule& schedule, std::uint32_t turn,
                                         const std::vector<PointPlace>& places) {
  const experiment::Turn& stop = schedule.turns[turn];
  if (stop.points == 0 || stop.points > places.size() || is_synchronisation(places, stop.points)) return {};
  std::uint32_t low = 1, high = static_cast<std::uint32_t>(places.size());
  for (std::uint32_t i = 0; i < schedule.turns.size(); ++i) {
    if (schedule.turns[i].thread != stop.thread || i == turn) continue;
    if (i < turn) low = schedule.turns[i].points + 1;
    if (i > turn) {
      high = schedule.turns[i].points;
      break;
    }
  }
  std::vector<std::uint32_t> points;
  std::uint32_t later = stop.points, earlier = stop.points;
  while (later <= high && !is_synchronisation(places, later)) ++later;
  while (earlier >= low && !is_synchronisation(places, earlier)) --earlier;
  if (later <= high) points.push_back(later);
  if (earlier >= low) points.push_back(earlier);
  std::uint32_t first_of_line = stop.points;
  const std::uint64_t line = places[stop.points - 1].line;
  while (first_of_line > low && !places[first_of_line - 2].synchronisation() && places[first_of_line - 2].line == line)
    --first_of_line;
  if (first_of_line != stop.points) points.push_back(first_of_line);
  return points;
}

// Moves the preemption at the end of this turn. Returns true if `best` has changed.
bool place(Reduction& reduction, std::uint32_t turn, const Places& places) {
  const experiment::Schedule schedule = reduction.best.schedule;
  const auto of_thread = places.find(schedule.threads[schedule.turns[turn].thread]);
  if (of_thread == places.end()) return false;
  const std::vector<std::uint32_t> points = better_points(schedule, turn, of_thread->second);
  const auto schedule_with = [&](std::size_t i) {
    experiment::Schedule moved = schedule;
    moved.turns[turn].points = points[i];
    return moved;
  };
  const auto holds = [&](const FailingRun& failing) {
    const Size& best = reduction.best.size;
    return failing.size.preemptions <= best.preemptions && failing.size.switches <= best.switches;
  };
  return reduction.take_first(points.size(), schedule_with, holds).has_value();
}

}  // namespace

bool place_preemptions(Reduction& reduction) {
  bool moved = false;
  // From the last preemption to the first: moving one leaves the points before it unchanged.
  std::size_t left = experiment::preemptions_of(reduction.best.schedule).size();
  while (left > 0 && !reduction.trials.stopped() && reduction.can_afford(Heuristics::kRunsOfPlace)) {
    const Result<Places> places = reduction.profiler.places_with_lines_of(reduction.best.schedule);
    if (!places) return moved;
    bool again = false;
    while (left > 0 && !again) {
      --left;
      const std::vector<std::uint32_t> preemptions = experiment::preemptions_of(reduction.best.schedule);
      if (left < preemptions.size()) again = place(reduction, preemptions[left], *places);
    }
    moved = moved || again;
  }
  return moved;
}

}  // namespace heddle::shrink
