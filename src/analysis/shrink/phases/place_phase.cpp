#include "shrink/phases/phases.h"

namespace heddle::shrink {
namespace {

using Places = RunProfiler::Places;

bool is_synchronisation(const std::vector<PointPlace>& places, std::uint32_t point) {
  return point >= 1 && point <= places.size() && places[point - 1].synchronisation();
}

// Points of the turn's thread at which it is better to stop it than where it is stopped now, the best first.
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

// True: it was moved, and `best` is another execution now.
bool place(Reduction& reduction, std::uint32_t turn, const Places& places) {
  const experiment::Schedule schedule = reduction.best.schedule;
  const auto of_thread = places.find(schedule.threads[schedule.turns[turn].thread]);
  if (of_thread == places.end()) return false;
  const std::vector<std::uint32_t> points = better_points(schedule, turn, of_thread->second);
  std::optional<FailureTrials::Found> found = reduction.trials.first_failing(
      points.size(),
      [&](std::size_t i) {
        experiment::Schedule moved = schedule;
        moved.turns[turn].points = points[i];
        return moved;
      },
      [&](const FailingRun& failing) {
        const Size& size = failing.size;
        return size.preemptions <= reduction.best.size.preemptions && size.switches <= reduction.best.size.switches;
      });
  if (found) reduction.take(std::move(found->failing));
  return found.has_value();
}

}  // namespace

bool place_preemptions(Reduction& reduction) {
  bool moved = false;
  // From the last one on: those before it stay as they are, and so do the points of their threads up to there.
  std::size_t left = experiment::preemptions_of(reduction.best.schedule).size();
  while (left > 0 && !reduction.trials.stopped() &&
         reduction.budget.can_afford(Heuristics::kRunsOfPlace, reduction.best.size.events)) {
    const Result<Places> places = reduction.profiler.places_with_lines_of(reduction.best.schedule);
    if (!places) return moved;
    bool again = false;
    while (left > 0 && !again) {
      --left;
      const std::vector<std::uint32_t> stops = experiment::preemptions_of(reduction.best.schedule);
      if (left < stops.size()) again = place(reduction, stops[left], *places);
    }
    moved = moved || again;
  }
  return moved;
}

}  // namespace heddle::shrink
