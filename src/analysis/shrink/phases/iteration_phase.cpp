#include <algorithm>
#include <set>
#include <utility>

#include "shrink/ddmin.h"
#include "shrink/phases/phases.h"
#include "shrink/phases/skipping.h"

namespace heddle::shrink {
namespace {

// All iterations of the loop but those.
Skipped all_but(const LoopOfThread& loop, const Kept& kept) {
  Skipped skipped{&loop, {}, may_skip_rest(loop)};
  for (std::uint32_t i = 0; i < loop.iterations.size(); ++i)
    if (!std::binary_search(kept.begin(), kept.end(), i)) skipped.indices.push_back(i);
  return skipped;
}

// The loop in which most is done and that was not looked at before.
const LoopOfThread* largest_new(const std::vector<LoopOfThread>& loops, const Size& size,
                                const std::set<std::pair<std::string, std::string>>& seen) {
  const LoopOfThread* largest = nullptr;
  for (const LoopOfThread& loop : loops) {
    if (!is_tried(loop, size) || loop.iterations.empty() || seen.contains({loop.thread, loop.loop})) continue;
    if (largest == nullptr || loop.points > largest->points) largest = &loop;
  }
  return largest;
}

// Delta debugging of the loop's iterations. True: some are left out.
bool minimise(const LoopOfThread& loop, Reduction& reduction, Skipper& skipper, std::uint64_t left_for_others) {
  bool removed = false;
  Kept items(loop.iterations.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) items[i] = i;
  ddmin(items, [&](std::size_t count, const std::function<Kept(std::size_t)>& kept) -> std::optional<std::size_t> {
    if (reduction.trials.stopped() || reduction.budget.affordable() <= left_for_others) return std::nullopt;
    const std::optional<std::size_t> found =
        skipper.first_that_holds(count, [&](std::size_t i) { return std::vector<Skipped>{all_but(loop, kept(i))}; });
    removed = removed || found;
    return found;
  });
  return removed;
}

bool remove_iterations_of(Reduction& reduction, const SequentialOrder& order, const LoopOfThread& loop,
                          const RunProfile& studied, std::uint64_t left_for_others) {
  Skipper skipper(reduction, order, studied, Skipper::Sequence::AtTheEnd);
  if (!minimise(loop, reduction, skipper, left_for_others)) return false;
  if (skipper.accept()) return true;
  Skipper strict(reduction, order, studied);
  return minimise(loop, reduction, strict, left_for_others);
}

}  // namespace

bool remove_iterations(Reduction& reduction, const SequentialOrder& order) {
  if (!reduction.profiler.marks_anything()) return false;
  // Where every iteration is needed, finding that out takes a run of each.
  const std::uint64_t left_for_others = reduction.budget.affordable() / Heuristics::kLoopShare;
  std::set<std::pair<std::string, std::string>> seen;
  bool removed = false;
  std::shared_ptr<const RunProfile> studied = reduction.profiler.profile_run(reduction.best.schedule);
  while (studied && !reduction.trials.stopped() &&
         reduction.budget.can_afford(Heuristics::kRunsOfLoop, reduction.best.size.events) &&
         reduction.budget.affordable() > left_for_others) {
    const LoopOfThread* loop = largest_new(studied->loops, reduction.best.size, seen);
    if (loop == nullptr) break;
    seen.insert({loop->thread, loop->loop});
    if (!remove_iterations_of(reduction, order, *loop, *studied, left_for_others)) continue;
    removed = true;
    studied = reduction.profiler.profile_run(reduction.best.schedule);
  }
  return removed;
}

}  // namespace heddle::shrink
