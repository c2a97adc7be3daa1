#include "shrink/skipping.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace heddle::shrink {
namespace {

bool is_inside(const PointRange& inner, const PointRange& outer) {
  return outer.begin <= inner.begin && inner.end <= outer.end && outer.end - outer.begin > inner.end - inner.begin;
}

// A thread counts the iterations that it comes to: those inside of a skipped one are not among them.
std::uint32_t number_without(const LoopOfThread& loop, std::uint32_t index, const std::vector<PointRange>& gone) {
  const auto is_gone = [&](const Iteration& iteration) {
    return std::any_of(gone.begin(), gone.end(),
                       [&](const PointRange& range) { return is_inside(iteration.points, range); });
  };
  const auto missing = std::count_if(loop.iterations.begin(), loop.iterations.begin() + index, is_gone);
  return loop.iterations[index].number - static_cast<std::uint32_t>(missing);
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
  for (Skipped& skipped : all) {
    std::erase_if(skipped.indices, [&](std::uint32_t i) {
      const PointRange& points = skipped.loop->iterations[i].points;
      return std::any_of(ranges[skipped.loop->thread].begin(), ranges[skipped.loop->thread].end(),
                         [&](const PointRange& other) { return is_inside(points, other); });
    });
  }
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
    std::sort(ranges.begin(), ranges.end(), [](const PointRange& a, const PointRange& b) { return a.begin < b.begin; });
    result = without_points(result, thread, ranges);
  }
  for (const Skipped& of_loop : skipped) {
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t i : of_loop.indices)
      numbers.push_back(number_without(*of_loop.loop, i, gone[of_loop.loop->thread]));
    result.omitted = with_iterations(result.omitted, *of_loop.loop, numbers);
  }
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
      laboratory.can_afford(kRunsToStopAgain, before.events)) {
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
