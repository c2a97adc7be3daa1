#include <algorithm>
#include <set>
#include <utility>

#include "shrink/ddmin.h"
#include "shrink/phases.h"

namespace heddle::shrink {
namespace {

// What is left of the plan when the thread leaves out all iterations of this loop but those.
Plan without_iterations(const Plan& plan, const LoopOfThread& loop, const Kept& kept) {
  std::vector<std::uint32_t> numbers;
  std::vector<PointRange> gone;
  for (std::uint32_t i = 0; i < loop.iterations.size(); ++i) {
    if (std::binary_search(kept.begin(), kept.end(), i)) continue;
    numbers.push_back(loop.iterations[i].number);
    gone.push_back(loop.iterations[i].points);
  }
  Plan result = without_points(plan, loop.thread, gone);
  result.omitted = with_iterations(plan.omitted, loop, numbers);
  return result;
}

// The loop in which most is done and that was not looked at before.
const LoopOfThread* largest_new(const std::vector<LoopOfThread>& loops,
                                const std::set<std::pair<std::string, std::string>>& seen) {
  const LoopOfThread* largest = nullptr;
  for (const LoopOfThread& loop : loops) {
    if (seen.contains({loop.thread, loop.loop})) continue;
    if (largest == nullptr || loop.points > largest->points) largest = &loop;
  }
  return largest;
}

bool remove_iterations_of(Reduction& reduction, const SequentialOrder& order, const LoopOfThread& loop) {
  const Plan plan = reduction.best.plan;
  bool removed = false;
  Kept items(loop.iterations.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) items[i] = i;
  ddmin(items, [&](std::size_t count, const std::function<Kept(std::size_t)>& kept) -> std::optional<std::size_t> {
    std::optional<Laboratory::Found> found = reduction.laboratory.first_failing(
        count, [&](std::size_t i) { return without_iterations(plan, loop, kept(i)); },
        [&](const Failing& failing) {
          return failing.size.preemptions <= reduction.best.size.preemptions &&
                 reduction.laboratory.passes(order, failing.plan.omitted);
        });
    if (!found) return std::nullopt;
    removed = true;
    reduction.take(std::move(found->failing));
    return found->index;
  });
  return removed;
}

}  // namespace

bool remove_iterations(Reduction& reduction, const SequentialOrder& order) {
  constexpr std::uint64_t kRunsOfLoop = 2;
  Laboratory& laboratory = reduction.laboratory;
  if (!laboratory.marks_iterations()) return false;
  std::set<std::pair<std::string, std::string>> seen;
  bool removed = false;
  std::optional<Studied> studied = laboratory.study(reduction.best.plan);
  while (studied && !laboratory.stopped() && laboratory.can_afford(kRunsOfLoop, reduction.best.size.events)) {
    const LoopOfThread* loop = largest_new(studied->loops, seen);
    if (loop == nullptr) break;
    seen.insert({loop->thread, loop->loop});
    if (!remove_iterations_of(reduction, order, *loop)) continue;
    removed = true;
    studied = laboratory.study(reduction.best.plan);
  }
  return removed;
}

}  // namespace heddle::shrink
