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

experiment::Schedule preempted_at(const experiment::Schedule& schedule, const std::string& stopped, std::uint32_t point,
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

SinglePreemption single_preemption(const FailureProfile& profile, const Interference& interference) {
  const bool is_main = interference.stopped == number(kMainThread);
  const auto begin = static_cast<std::uint32_t>(is_main ? profile.begin_points : 0);
  return {profile.threads[interference.stopped], profile.threads[interference.other], begin + interference.point,
          interference};
}

std::optional<SinglePreemption> find_single_preemption(Reduction& reduction, const FailureProfile& profile) {
  const experiment::Schedule& schedule = profile.failing.schedule;
  const std::vector<std::uint32_t> preemptions = experiment::preemptions_of(schedule);
  if (preemptions.size() != 1 || preemptions.front() + 1 >= schedule.turns.size()) return std::nullopt;
  const experiment::Turn& turn = schedule.turns[preemptions.front()];
  for (const Interference& interference : profile.interferences) {
    SinglePreemption preemption = single_preemption(profile, interference);
    if (preemption.stopped == schedule.threads[turn.thread] && preemption.point == turn.points) return preemption;
  }
  const Result<RunProfiler::Places> places = reduction.profiler.places_of(schedule);
  if (!places) return std::nullopt;
  SinglePreemption preemption{schedule.threads[turn.thread],
                              schedule.threads[schedule.turns[preemptions.front() + 1].thread], turn.points};
  const auto of_thread = places->find(preemption.stopped);
  if (of_thread == places->end() || turn.points < 2 || turn.points > of_thread->second.size()) return std::nullopt;
  preemption.during.before = of_thread->second[turn.points - 2];
  preemption.during.at = of_thread->second[turn.points - 1];
  return preemption;
}

std::vector<experiment::Schedule> retry_preemption_at_place(Reduction& reduction, const experiment::Schedule& schedule,
                                                            const SinglePreemption& preemption, std::size_t count_max,
                                                            std::uint32_t head_start) {
  const Interference& during = preemption.during;
  if (!reduction.budget.can_afford(Heuristics::kRunsOfRetry, reduction.trials.steps_of(schedule))) return {};
  const experiment::Schedule one_by_one =
      preempted_at(schedule, preemption.stopped, experiment::kUntilBlocked, preemption.other, head_start);
  const auto is_known = [&](const PointPlace& place) {
    return during.known_site != 0 && place.site == during.known_site;
  };
  const Result<RunProfiler::Reached> reached = reduction.profiler.reached_by(
      one_by_one, [&](const ReachedPoint& one) { return is_like(one.at, during.at) || is_known(one.before); });
  if (!reached || !reached->contains(preemption.stopped)) return {};
  std::vector<std::uint32_t> points, with_same_data;
  // The same pending operation after the same previous one; if that does not occur, after any other; if the operation
  // does not occur, directly after the access by which the thread knew the data.
  enum class Like { Both, At, Known };
  for (const Like like : {Like::Both, Like::At, Like::Known}) {
    bool is_data_same = false;
    for (const ReachedPoint& one : reached->at(preemption.stopped)) {
      if (is_known(one.before)) is_data_same = one.before.value == during.known_value;
      const bool is_there = like == Like::Known ? is_known(one.before) : is_like(one.at, during.at);
      if (one.point < 2 || !is_there || (like == Like::Both && !is_like(one.before, during.before))) continue;
      points.push_back(one.point);
      if (is_data_same) with_same_data.push_back(one.point);
    }
    if (!points.empty()) break;
  }
  const auto distance = [&](std::uint32_t point) {
    return std::abs(static_cast<std::int64_t>(point) - static_cast<std::int64_t>(preemption.point));
  };
  const auto is_nearer = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair{distance(a), a} < std::pair{distance(b), b};
  };
  std::vector<std::uint32_t> sorted;
  if (!with_same_data.empty()) sorted.push_back(with_same_data.front());
  if (!points.empty()) {
    sorted.push_back(*std::min_element(points.begin(), points.end(), is_nearer));
    sorted.push_back(points.front());  // gives the shortest run
  }
  std::sort(points.begin(), points.end(), is_nearer);
  sorted.insert(sorted.end(), with_same_data.begin(), with_same_data.end());
  sorted.insert(sorted.end(), points.begin(), points.end());
  std::vector<experiment::Schedule> schedules;
  std::set<std::uint32_t> taken;
  for (const std::uint32_t point : sorted)
    if (schedules.size() < count_max && taken.insert(point).second)
      schedules.push_back(preempted_at(schedule, preemption.stopped, point, preemption.other, head_start));
  return schedules;
}

std::vector<experiment::Schedule> preempted_after_other(Reduction& reduction, const experiment::Schedule& schedule,
                                                        const SinglePreemption& preemption) {
  if (preemption.during.other_site == 0 || schedule.turns.size() < 2 ||
      !reduction.budget.can_afford(1, reduction.trials.last_steps()))
    return {};
  const Result<RunProfiler::Reached> reached = reduction.profiler.reached_by(schedule, [&](const ReachedPoint& one) {
    return one.at.site == preemption.during.other_site && one.at.value == preemption.during.other_value;
  });
  if (!reached || !reached->contains(preemption.other) || reached->at(preemption.other).empty()) return {};
  experiment::Schedule result = schedule;
  const experiment::Turn other = schedule.turns[1];
  result.turns[1] = {other.thread, reached->at(preemption.other).front().point + 1, false};
  result.turns.push_back(other);
  return {result};
}

}  // namespace heddle::shrink
