#include <set>
#include <tuple>

#include "base/hash.h"
#include "shrink/phases.h"
#include "shrink/skipping.h"

namespace heddle::shrink {

bool skip_outside_slice(Reduction& reduction, const SequentialOrder& order, SliceFigures& figures) {
  constexpr std::uint64_t kRuns = 3;
  Laboratory& laboratory = reduction.laboratory;
  if (!laboratory.can_afford(kRuns, reduction.best.size.events)) return false;
  const std::optional<Sliced> sliced = laboratory.slice(reduction.best.plan);
  if (!sliced) return false;
  figures = {sliced->slice.events, sliced->slice.relevant, 0};
  if (!laboratory.marks_iterations()) return false;
  std::set<std::tuple<std::string, std::uint64_t, std::uint32_t>> irrelevant;
  for (const slice::SlicedIteration& iteration : sliced->slice.iterations)
    if (!iteration.relevant && iteration.thread < sliced->threads.size())
      irrelevant.emplace(sliced->threads[iteration.thread], iteration.loop, iteration.number);
  if (irrelevant.empty()) return false;
  const std::optional<Studied> studied = laboratory.study(reduction.best.plan);
  if (!studied) return false;
  const std::uint64_t before = reduction.best.size.events;
  const auto is_irrelevant = [&](const LoopOfThread& loop, const Iteration& iteration) {
    return irrelevant.contains({loop.thread, hash_bytes(loop.loop.data(), loop.loop.size()), iteration.number});
  };
  const bool smaller = Skipper(reduction, order, studied->threads).skip(outermost_skipped(studied->loops, is_irrelevant));
  figures.skipped = before - reduction.best.size.events;
  return smaller;
}

}  // namespace heddle::shrink
