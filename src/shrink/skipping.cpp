#include "shrink/skipping.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace heddle::shrink {
namespace {

bool begins_before(const PointRange& a, const PointRange& b) { return a.begin < b.begin; }

// Of these, those that are inside of no other, ascending. Iterations nest or follow each other, they never overlap in part.
std::vector<PointRange> outermost(std::vector<PointRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const PointRange& a, const PointRange& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<PointRange> result;
  for (const PointRange& range : ranges)
    if (result.empty() || range.end > result.back().end) result.push_back(range);
  return result;
}

// In one of them, and not all of it. `ranges` ascends.
bool is_inside(const PointRange& inner, const std::vector<PointRange>& ranges) {
  auto outer = std::upper_bound(ranges.begin(), ranges.end(), inner, begins_before);
  if (outer == ranges.begin()) return false;
  --outer;
  return inner.end <= outer->end && outer->end - outer->begin > inner.end - inner.begin;
}

// The numbers of what is skipped, as the thread will count: it counts the iterations that it comes to, and those inside of
// a skipped one are not among them.
std::vector<std::uint32_t> numbers_of(const Skipped& skipped, const std::vector<PointRange>& gone) {
  std::vector<std::uint32_t> numbers;
  std::uint32_t missing = 0, next = 0;
  for (const std::uint32_t index : skipped.indices) {
    for (; next < index; ++next) missing += is_inside(skipped.loop->iterations[next].points, gone) ? 1 : 0;
    numbers.push_back(skipped.loop->iterations[index].number - missing);
  }
  return numbers;
}

}  // namespace

std::vector<Skipped> outermost_skipped(const std::vector<LoopOfThread>& loops, const IsSkipped& is_skipped) {
  std::map<std::string, std::vector<PointRange>> ranges;
  std::vector<Skipped> all;
  for (const LoopOfThread& loop : loops) {
    Skipped skipped{&loop, {}};
    for (std::uint32_t i = 0; i < loop.iterations.size(); ++i) {
      if (!is_skipped(loop, loop.iterations[i])) continue;
      skipped.indices.push_back(i);
      ranges[loop.thread].push_back(loop.iterations[i].points);
    }
    all.push_back(std::move(skipped));
  }
  for (auto& [thread, of_thread] : ranges) of_thread = outermost(std::move(of_thread));
  for (Skipped& skipped : all)
    std::erase_if(skipped.indices, [&](std::uint32_t i) {
      return is_inside(skipped.loop->iterations[i].points, ranges[skipped.loop->thread]);
    });
  std::erase_if(all, [](const Skipped& skipped) { return skipped.indices.empty(); });
  // In which most is done comes first.
  std::sort(all.begin(), all.end(), [](const Skipped& a, const Skipped& b) {
    return std::tie(b.loop->points, a.loop->thread, a.loop->loop) < std::tie(a.loop->points, b.loop->thread, b.loop->loop);
  });
  return all;
}

Plan without(const Plan& plan, const std::vector<Skipped>& skipped, const std::vector<std::string>& threads) {
  std::map<std::string, std::vector<PointRange>> gone;
  std::vector<std::string> never_made;
  for (const Skipped& of_loop : skipped)
    for (const std::uint32_t i : of_loop.indices) {
      const Iteration& iteration = of_loop.loop->iterations[i];
      gone[of_loop.loop->thread].push_back(iteration.points);
      for (const std::uint32_t thread : iteration.forked)
        if (thread < threads.size()) never_made.push_back(threads[thread]);
    }
  Plan result = plan;
  for (auto& [thread, ranges] : gone) {
    std::sort(ranges.begin(), ranges.end(), begins_before);
    result = without_points(result, thread, ranges);
  }
  for (const Skipped& of_loop : skipped)
    result.omitted = with_iterations(result.omitted, *of_loop.loop, numbers_of(of_loop, gone[of_loop.loop->thread]));
  return without_making(result, never_made);
}

bool Skipper::holds_without(const std::vector<Skipped>& skipped) {
  Laboratory& laboratory = reduction_.laboratory;
  const Size before = reduction_.best.size;
  const auto holds = [&](const Failing& failing) {
    return failing.size.events < before.events && failing.size.preemptions <= before.preemptions &&
           laboratory.passes(order_, failing.plan.omitted);
  };
  const Plan left = without(plan_, skipped, threads_);
  std::optional<Laboratory::Found> found = laboratory.first_failing(1, [&](std::size_t) { return left; }, holds);
  if (!found && before.preemptions == 1 && stopped_in_vain_ < kInVainMax &&
      laboratory.can_afford(kReserve * kRunsToStopAgain, before.events)) {
    const std::vector<Plan> plans = stopped_again_without(left);
    found = laboratory.first_failing(plans.size(), [&](std::size_t i) { return plans[i]; }, holds);
    stopped_in_vain_ = found ? 0 : stopped_in_vain_ + 1;
  }
  if (found) reduction_.take(std::move(found->failing));
  return found.has_value();
}

std::vector<Plan> Skipper::stopped_again_without(const Plan& left) {
  if (!is_stop_known_) stop_ = find_only_stop(reduction_.laboratory, plan_);
  is_stop_known_ = true;
  if (!stop_ || left.threads.size() != plan_.threads.size()) return {};
  OnlyStop stop = *stop_;
  for (std::size_t i = 0; i < plan_.threads.size(); ++i) {  // they may be called otherwise now
    if (plan_.threads[i] == stop_->stopped) stop.stopped = left.threads[i];
    if (plan_.threads[i] == stop_->other) stop.other = left.threads[i];
  }
  return stopped_again(reduction_.laboratory, left, stop, kTimes);
}

bool Skipper::skip(const std::vector<Skipped>& skipped) {
  if (skipped.empty() || holds_without(skipped)) return !skipped.empty();
  std::vector<Skipped> taken;
  for (const Skipped& of_loop : skipped) {
    if (skipped.size() == 1 || !reduction_.laboratory.can_afford(2, reduction_.best.size.events)) break;
    taken.push_back(of_loop);
    if (!holds_without(taken)) taken.pop_back();
  }
  return !taken.empty();
}

}  // namespace heddle::shrink
