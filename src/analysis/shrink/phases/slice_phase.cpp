#include <set>
#include <tuple>

#include "base/hash.h"
#include "shrink/phases/phases.h"
#include "shrink/phases/skipping.h"

namespace heddle::shrink {
namespace {

// What was marked and has nothing of the slice in it.
std::vector<Skipped> outside_of(const slice::Slice& slice, const Sliced& sliced, const RunProfile& studied) {
  std::set<std::tuple<std::string, std::uint64_t, std::uint32_t>> irrelevant;
  for (const slice::SlicedIteration& iteration : slice.iterations)
    if (!iteration.relevant && iteration.thread < sliced.threads.size())
      irrelevant.emplace(sliced.threads[iteration.thread], iteration.loop, iteration.number);
  return outermost_skipped(studied.loops, [&](const LoopOfThread& loop, const Iteration& iteration) {
    // Where nothing happens nothing is gained.
    if (iteration.points.begin == iteration.points.end) return false;
    return irrelevant.contains({loop.thread, hash_bytes(loop.loop.data(), loop.loop.size()), iteration.number});
  });
}

}  // namespace

bool skip_outside_slice(Reduction& reduction, const SequentialOrder& order, SliceFigures& figures) {
  if (!reduction.budget.can_afford(Heuristics::kRunsOfSlice, reduction.best.size.events)) return false;
  const std::optional<Sliced> sliced = reduction.profiler.slice(reduction.best.schedule);
  if (!sliced) return false;
  figures = {sliced->slice.events, sliced->slice.relevant, 0};
  if (!reduction.profiler.marks_anything()) return false;
  const std::shared_ptr<const RunProfile> studied = reduction.profiler.profile_run(reduction.best.schedule);
  if (!studied) return false;
  const std::uint64_t before = reduction.best.size.events;
  // What only had to come before something else may have to come no more when that is gone, too.
  Skipper skipper(reduction, order, *studied);
  const std::vector<Skipped> not_needed = outside_of(sliced->flow, *sliced, *studied);
  const bool smaller = (!not_needed.empty() && skipper.holds_without(not_needed)) ||
                       skipper.skip(outside_of(sliced->slice, *sliced, *studied));
  figures.skipped = before - reduction.best.size.events;
  return smaller;
}

}  // namespace heddle::shrink
