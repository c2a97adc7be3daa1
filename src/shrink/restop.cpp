#include "shrink/restop.h"

#include <algorithm>
#include <cstdlib>

namespace heddle::shrink {
namespace {

std::optional<std::uint32_t> index_of(const Plan& plan, const std::string& name) {
  const auto found = std::find(plan.threads.begin(), plan.threads.end(), name);
  if (found == plan.threads.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - plan.threads.begin());
}

bool is_like(const PointPlace& a, const PointPlace& b) { return a.site == b.site && a.kind == b.kind; }

}  // namespace

Plan stopped_at(const Plan& plan, const std::string& stopped, std::uint32_t point, const std::string& other) {
  Plan result = plan;
  const std::optional<std::uint32_t> first = index_of(plan, stopped), second = index_of(plan, other);
  if (!first || !second) return result;
  result.turns = {{*first, point, false}, {*second, kToTheEnd, true}, {*first, kToTheEnd, true}};
  return result;
}

std::optional<OnlyStop> find_only_stop(Laboratory& laboratory, const Plan& plan) {
  const std::vector<std::uint32_t> stops = preemptions_of(plan);
  if (stops.size() != 1 || stops.front() + 1 >= plan.turns.size()) return std::nullopt;
  const Turn& turn = plan.turns[stops.front()];
  const Result<Laboratory::Places> places = laboratory.places_of(plan);
  if (!places) return std::nullopt;
  OnlyStop stop{plan.threads[turn.thread], plan.threads[plan.turns[stops.front() + 1].thread], {}, {}, turn.points};
  const auto of_thread = places->find(stop.stopped);
  if (of_thread == places->end() || turn.points < 2 || turn.points > of_thread->second.size()) return std::nullopt;
  stop.before = of_thread->second[turn.points - 2];
  stop.at = of_thread->second[turn.points - 1];
  return stop;
}

std::vector<Plan> stopped_again(Laboratory& laboratory, const Plan& plan, const OnlyStop& stop, std::size_t count_max) {
  const Plan one_by_one = stopped_at(plan, stop.stopped, kToTheEnd, stop.other);
  const Result<Laboratory::Places> places = laboratory.places_of(one_by_one);
  if (!places || !places->contains(stop.stopped)) return {};
  const std::vector<PointPlace>& of_thread = places->at(stop.stopped);
  std::vector<std::uint32_t> points;
  for (std::uint32_t point = 2; point <= of_thread.size(); ++point)
    if (is_like(of_thread[point - 2], stop.before) && is_like(of_thread[point - 1], stop.at)) points.push_back(point);
  const auto distance = [&](std::uint32_t point) {
    return std::abs(static_cast<std::int64_t>(point) - static_cast<std::int64_t>(stop.point));
  };
  std::sort(points.begin(), points.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair{distance(a), a} < std::pair{distance(b), b};
  });
  // The first time makes the shortest run.
  if (points.size() > 2) {
    const auto first = std::min_element(points.begin() + 1, points.end());
    std::rotate(points.begin() + 1, first, first + 1);
  }
  std::vector<Plan> plans;
  for (const std::uint32_t point : points)
    if (plans.size() < count_max) plans.push_back(stopped_at(plan, stop.stopped, point, stop.other));
  return plans;
}

}  // namespace heddle::shrink
