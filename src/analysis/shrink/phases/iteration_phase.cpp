#include <algorithm>
#include <set>
#include <utility>

#include "shrink/ddmin.h"
#include "shrink/phases/phases.h"
#include "shrink/phases/skipping.h"

namespace heddle::shrink {
namespace {

Skipped all_but(const LoopOfThread& loop, const Kept& kept) {
  Skipped skipped{&loop, {}, may_skip_rest(loop)};
  for (std::uint32_t i = 0; i < loop.iterations.size(); ++i)
    if (!std::binary_search(kept.begin(), kept.end(), i)) skipped.indices.push_back(i);
  return skipped;
}

// The loop with the most points that is not in `seen`; nullptr if none.
const LoopOfThread* largest_new(const std::vector<LoopOfThread>& loops, const Size& size,
                                const std::set<std::pair<std::string, std::string>>& seen) {
  const LoopOfThread* largest = nullptr;
  for (const LoopOfThread& loop : loops) {
    if (!is_tried(loop, size) || loop.iterations.empty() || seen.contains({loop.thread, loop.loop})) continue;
    if (largest == nullptr || loop.points > largest->points) largest = &loop;
  }
  return largest;
}

// Delta debugging of the loop's iterations. Returns true if some are skipped.
bool minimise(const LoopOfThread& loop, Reduction& reduction, Skipper& skipper, std::uint64_t left_for_others) {
  bool removed = false;
  const auto first = [&](std::size_t count, const std::function<Kept(std::size_t)>& kept) {
    std::optional<std::size_t> found;
    if (!reduction.trials.stopped() && reduction.budget.affordable() > left_for_others)
      found =
          skipper.first_that_holds(count, [&](std::size_t i) { return std::vector<Skipped>{all_but(loop, kept(i))}; });
    removed = removed || found;
    return found;
  };
  ddmin(all_items(loop.iterations.size()), first);
  return removed;
}

bool remove_iterations_of(Reduction& reduction, const SequentialOrder& order, const LoopOfThread& loop,
                          const FailureProfile& profile, std::uint64_t left_for_others) {
  Skipper skipper(reduction, order, profile, Skipper::Sequence::AtTheEnd);
  if (!minimise(loop, reduction, skipper, left_for_others)) return false;
  if (skipper.accept()) return true;
  Skipper strict(reduction, order, profile);
  return minimise(loop, reduction, strict, left_for_others);
}

}  // namespace

bool remove_iterations(Reduction& reduction, const SequentialOrder& order) {
  if (!reduction.profiler.marks_anything()) return false;
  // If every iteration is needed, finding that out takes one run per iteration.
  const std::uint64_t left_for_others = reduction.budget.affordable() / Heuristics::kLoopShare;
  std::set<std::pair<std::string, std::string>> seen;
  bool removed = false;
  std::shared_ptr<const FailureProfile> profile = reduction.profile_best();
  while (profile && !reduction.trials.stopped() && reduction.can_afford(Heuristics::kRunsOfLoop) &&
         reduction.budget.affordable() > left_for_others) {
    const LoopOfThread* loop = largest_new(profile->loops, reduction.best.size, seen);
    if (loop == nullptr) break;
    seen.insert({loop->thread, loop->loop});
    if (!remove_iterations_of(reduction, order, *loop, *profile, left_for_others)) continue;
    removed = true;
    profile = reduction.profile_best();
  }
  return removed;
}

}  // namespace heddle::shrink
