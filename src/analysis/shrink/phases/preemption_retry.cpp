#include "shrink/phases/preemption_retry.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace heddle::shrink {
namespace {

std::optional<std::uint32_t> index_of(const experiment::Schedule& schedule, const std::string& name) {
  const auto found = std::find(schedule.threads.begin(), schedule.threads.end(), name);
  if (found == schedule.threads.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - schedule.threads.begin());
}

bool is_like(const PointPlace& a, const PointPlace& b) { return a.site == b.site && a.kind == b.kind; }

}  // namespace

experiment::Schedule stopped_at(const experiment::Schedule& schedule, const std::string& stopped, std::uint32_t point,
                                const std::string& other, std::uint32_t head_start) {
  experiment::Schedule result = schedule;
  const std::optional<std::uint32_t> first = index_of(schedule, stopped), second = index_of(schedule, other);
  if (!first || !second) return result;
  result.turns.clear();
  if (head_start != 0) result.turns.push_back({*second, head_start, false});
  result.turns.insert(
      result.turns.end(),
      {{*first, point, false}, {*second, experiment::kUntilBlocked, true}, {*first, experiment::kUntilBlocked, true}});
  return result;
}

OnlyStop stop_of(const RunProfile& studied, const Interference& what) {
  const auto begin = static_cast<std::uint32_t>(what.stopped == number(kMainThread) ? studied.begin_points : 0);
  return {studied.threads[what.stopped],
          studied.threads[what.other],
          what.before,
          what.at,
          begin + what.point,
          what.known_site,
          what.other_site,
          what.known_value,
          what.other_value,
          what.other_begin};
}

std::optional<OnlyStop> find_only_stop(Reduction& reduction, const RunProfile& studied) {
  const experiment::Schedule& schedule = studied.failing.schedule;
  const std::vector<std::uint32_t> stops = experiment::preemptions_of(schedule);
  if (stops.size() != 1 || stops.front() + 1 >= schedule.turns.size()) return std::nullopt;
  const experiment::Turn& turn = schedule.turns[stops.front()];
  for (const Interference& what : studied.interferences) {
    OnlyStop stop = stop_of(studied, what);
    if (stop.stopped == schedule.threads[turn.thread] && stop.point == turn.points) return stop;
  }
  const Result<RunProfiler::Places> places = reduction.profiler.places_of(schedule);
  if (!places) return std::nullopt;
  OnlyStop stop{
      schedule.threads[turn.thread], schedule.threads[schedule.turns[stops.front() + 1].thread], {}, {}, turn.points};
  const auto of_thread = places->find(stop.stopped);
  if (of_thread == places->end() || turn.points < 2 || turn.points > of_thread->second.size()) return std::nullopt;
  stop.before = of_thread->second[turn.points - 2];
  stop.at = of_thread->second[turn.points - 1];
  return stop;
}

std::vector<experiment::Schedule> retry_preemption_at_place(Reduction& reduction, const experiment::Schedule& schedule,
                                                            const OnlyStop& stop, std::size_t count_max,
                                                            std::uint32_t head_start) {
  if (!reduction.budget.can_afford(Heuristics::kRunsOfRetry, reduction.trials.steps_of(schedule))) return {};
  const experiment::Schedule one_by_one =
      stopped_at(schedule, stop.stopped, experiment::kUntilBlocked, stop.other, head_start);
  const auto is_known = [&](const PointPlace& place) { return stop.known_site != 0 && place.site == stop.known_site; };
  const Result<RunProfiler::Reached> reached = reduction.profiler.reached_by(
      one_by_one, [&](const ReachedPoint& one) { return is_like(one.at, stop.at) || is_known(one.before); });
  if (!reached || !reached->contains(stop.stopped)) return {};
  std::vector<std::uint32_t> points, with_same_data;
  // Where it does not come there from the same place any more, from another one; where it does not come there at all,
  // right after what it knew of the data.
  enum class Like { Both, At, Known };
  for (const Like like : {Like::Both, Like::At, Like::Known}) {
    bool is_data_same = false;
    for (const ReachedPoint& one : reached->at(stop.stopped)) {
      if (is_known(one.before)) is_data_same = one.before.value == stop.known_value;
      const bool is_there = like == Like::Known ? is_known(one.before) : is_like(one.at, stop.at);
      if (one.point < 2 || !is_there || (like == Like::Both && !is_like(one.before, stop.before))) continue;
      points.push_back(one.point);
      if (is_data_same) with_same_data.push_back(one.point);
    }
    if (!points.empty()) break;
  }
  const auto distance = [&](std::uint32_t point) {
    return std::abs(static_cast<std::int64_t>(point) - static_cast<std::int64_t>(stop.point));
  };
  const auto is_nearer = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair{distance(a), a} < std::pair{distance(b), b};
  };
  std::vector<std::uint32_t> sorted;
  if (!with_same_data.empty()) sorted.push_back(with_same_data.front());
  if (!points.empty()) {
    sorted.push_back(*std::min_element(points.begin(), points.end(), is_nearer));
    sorted.push_back(points.front());  // makes the shortest run
  }
  std::sort(points.begin(), points.end(), is_nearer);
  sorted.insert(sorted.end(), with_same_data.begin(), with_same_data.end());
  sorted.insert(sorted.end(), points.begin(), points.end());
  std::vector<experiment::Schedule> schedules;
  std::set<std::uint32_t> taken;
  for (const std::uint32_t point : sorted)
    if (schedules.size() < count_max && taken.insert(point).second)
      schedules.push_back(stopped_at(schedule, stop.stopped, point, stop.other, head_start));
  return schedules;
}

std::vector<experiment::Schedule> stopped_after_other(Reduction& reduction, const experiment::Schedule& schedule,
                                                      const OnlyStop& stop) {
  if (stop.other_site == 0 || schedule.turns.size() < 2 ||
      !reduction.budget.can_afford(1, reduction.trials.last_steps()))
    return {};
  const Result<RunProfiler::Reached> reached = reduction.profiler.reached_by(schedule, [&](const ReachedPoint& one) {
    return one.at.site == stop.other_site && one.at.value == stop.other_value;
  });
  if (!reached || !reached->contains(stop.other) || reached->at(stop.other).empty()) return {};
  experiment::Schedule result = schedule;
  const experiment::Turn other = schedule.turns[1];
  result.turns[1] = {other.thread, reached->at(stop.other).front().point + 1, false};
  result.turns.push_back(other);
  return {result};
}

}  // namespace heddle::shrink
