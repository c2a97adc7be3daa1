#include <algorithm>
#include <map>
#include <set>

#include "base/hash.h"
#include "shrink/phases.h"

namespace heddle::shrink {
namespace {

// Iterations of one loop of one thread, by their places in it.
struct Skipped {
  const LoopOfThread* loop;
  std::vector<std::uint32_t> indices;
};

// Those in which nothing was done that the failure depends on, without those inside of such ones.
std::vector<Skipped> irrelevant_iterations(const Studied& studied, const Sliced& sliced) {
  struct Key {
    std::string thread;
    std::uint64_t loop;
    std::uint32_t number;
    auto operator<=>(const Key&) const = default;
  };
  std::set<Key> irrelevant;
  for (const slice::SlicedIteration& iteration : sliced.slice.iterations)
    if (!iteration.relevant && iteration.thread < sliced.threads.size())
      irrelevant.insert({sliced.threads[iteration.thread], iteration.loop, iteration.number});
  std::vector<Skipped> found;
  for (const LoopOfThread& loop : studied.loops) {
    Skipped skipped{&loop, {}};
    const std::uint64_t hash = hash_bytes(loop.loop.data(), loop.loop.size());
    for (std::uint32_t i = 0; i < loop.iterations.size(); ++i)
      if (irrelevant.contains({loop.thread, hash, loop.iterations[i].number})) skipped.indices.push_back(i);
    if (!skipped.indices.empty()) found.push_back(std::move(skipped));
  }
  const auto is_inside = [&](const LoopOfThread& loop, const PointRange& range) {
    return std::any_of(found.begin(), found.end(), [&](const Skipped& other) {
      return other.loop != &loop && other.loop->thread == loop.thread &&
             std::any_of(other.indices.begin(), other.indices.end(), [&](std::uint32_t i) {
               const PointRange& outer = other.loop->iterations[i].points;
               return outer.begin <= range.begin && range.end <= outer.end &&
                      outer.end - outer.begin > range.end - range.begin;
             });
    });
  };
  std::vector<Skipped> outermost;
  for (const Skipped& skipped : found) {
    Skipped kept{skipped.loop, {}};
    for (const std::uint32_t i : skipped.indices)
      if (!is_inside(*skipped.loop, skipped.loop->iterations[i].points)) kept.indices.push_back(i);
    if (!kept.indices.empty()) outermost.push_back(std::move(kept));
  }
  return outermost;
}

// A thread counts the iterations that it comes to: those inside of a skipped one are not among them.
std::uint32_t number_without(const LoopOfThread& loop, std::uint32_t index, const std::vector<PointRange>& gone) {
  const std::uint32_t number = loop.iterations[index].number;
  std::uint32_t missing = 0;
  for (std::uint32_t i = 0; i < index; ++i) {
    const PointRange& points = loop.iterations[i].points;
    missing += std::any_of(gone.begin(), gone.end(), [&](const PointRange& range) {
      return range.begin <= points.begin && points.end <= range.end && range.end - range.begin > points.end - points.begin;
    });
  }
  return number - missing;
}

Plan without(const Plan& plan, const std::vector<Skipped>& all) {
  std::map<std::string, std::vector<PointRange>> gone;
  for (const Skipped& skipped : all)
    for (const std::uint32_t i : skipped.indices) gone[skipped.loop->thread].push_back(skipped.loop->iterations[i].points);
  Plan result = plan;
  for (auto& [thread, ranges] : gone) {
    std::sort(ranges.begin(), ranges.end(), [](const PointRange& a, const PointRange& b) { return a.begin < b.begin; });
    result = without_points(result, thread, ranges);
  }
  for (const Skipped& skipped : all) {
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t i : skipped.indices)
      numbers.push_back(number_without(*skipped.loop, i, gone[skipped.loop->thread]));
    result.omitted = with_iterations(result.omitted, *skipped.loop, numbers);
  }
  return result;
}

}  // namespace

bool skip_outside_slice(Reduction& reduction, const SequentialOrder& order, SliceFigures& figures) {
  constexpr std::uint64_t kRuns = 4;
  Laboratory& laboratory = reduction.laboratory;
  if (!laboratory.tells_flow() || !laboratory.can_afford(kRuns, reduction.best.size.events)) return false;
  const std::optional<Sliced> sliced = laboratory.slice(reduction.best.plan);
  if (!sliced) return false;
  figures = {sliced->slice.events, sliced->slice.relevant, 0};
  if (!laboratory.marks_iterations()) return false;
  const std::optional<Studied> studied = laboratory.study(reduction.best.plan);
  if (!studied) return false;
  const std::vector<Skipped> all = irrelevant_iterations(*studied, *sliced);
  if (all.empty()) return false;
  const Plan plan = reduction.best.plan;
  const std::uint64_t before = reduction.best.size.events;
  // Everything at once; then, if the criterion does not hold, loop by loop.
  const std::size_t count = all.size() == 1 ? 1 : 1 + all.size();
  std::optional<Laboratory::Found> found = laboratory.first_failing(
      count, [&](std::size_t i) { return without(plan, i == 0 ? all : std::vector<Skipped>{all[i - 1]}); },
      [&](const Failing& failing) {
        return failing.size.events < before && laboratory.passes(order, failing.plan.omitted);
      });
  if (!found) return false;
  reduction.take(std::move(found->failing));
  figures.skipped = before - reduction.best.size.events;
  return true;
}

}  // namespace heddle::shrink
