#include <set>
#include <tuple>

#include "base/hash.h"
#include "shrink/phases/phases.h"
#include "shrink/phases/skipping.h"

namespace heddle::shrink {
namespace {

// The marked iterations and calls without a relevant event.
std::vector<Skipped> outside_of(const slice::Slice& slice, const Sliced& sliced, const FailureProfile& profile) {
  std::set<std::tuple<std::string, std::uint64_t, std::uint32_t>> irrelevant;
  for (const slice::LoggedIteration& iteration : slice.iterations)
    if (!iteration.relevant && iteration.thread < sliced.threads.size())
      irrelevant.emplace(sliced.threads[iteration.thread], iteration.loop, iteration.number);
  return outermost_skipped(profile.loops, [&](const LoopOfThread& loop, const Iteration& iteration) {
    if (iteration.points.begin == iteration.points.end) return false;
    return irrelevant.contains({loop.thread, hash_bytes(loop.loop.data(), loop.loop.size()), iteration.number});
  });
}

}  // namespace

bool skip_outside_slice(Reduction& reduction, const SequentialOrder& order, SliceFigures& figures) {
  if (!reduction.can_afford(Heuristics::kRunsOfSlice)) return false;
  const std::optional<Sliced> sliced = reduction.profiler.slice(reduction.best.schedule);
  if (!sliced) return false;
  figures = {sliced->slice.events, sliced->slice.relevant, 0};
  if (!reduction.profiler.marks_anything()) return false;
  const std::shared_ptr<const FailureProfile> profile = reduction.profile_best();
  if (!profile) return false;
  const std::uint64_t before = reduction.best.size.events;
  // An event that only had to precede another one may be unneeded if that one is skipped, too.
  Skipper skipper(reduction, order, *profile);
  const std::vector<Skipped> unneeded = outside_of(sliced->flow, *sliced, *profile);
  const bool smaller = (!unneeded.empty() && skipper.holds_without(unneeded)) ||
                       skipper.skip(outside_of(sliced->slice, *sliced, *profile));
  figures.skipped = before - reduction.best.size.events;
  return smaller;
}

}  // namespace heddle::shrink
