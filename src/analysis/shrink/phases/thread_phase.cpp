#include <algorithm>

#include "shrink/ddmin.h"
#include "shrink/phases/phases.h"

namespace heddle::shrink {
namespace {

std::vector<std::string> threads_of_level(const experiment::Schedule& schedule, std::size_t level) {
  std::vector<std::string> names;
  for (const std::string& name : schedule.threads)
    if (experiment::level_of(name) == level) names.push_back(name);
  return names;
}

void remove_threads_of_level(Reduction& reduction, const SequentialOrder& order, std::size_t level) {
  const experiment::Schedule schedule = reduction.best.schedule;
  const std::vector<std::string> names = threads_of_level(schedule, level);
  const auto disabled = [&](const Kept& kept) {
    std::vector<std::string> all = schedule.omitted.threads;
    for (std::uint32_t i = 0; i < names.size(); ++i)
      if (!std::binary_search(kept.begin(), kept.end(), i)) all.push_back(names[i]);
    return all;
  };
  ddmin(all_items(names.size()), [&](std::size_t count, const std::function<Kept(std::size_t)>& kept) {
    return reduction.take_first(
        count, [&](std::size_t i) { return experiment::without_threads(schedule, disabled(kept(i))); },
        [&](const FailingRun& failing) { return reduction.oracle.passes(order, failing.schedule.omitted); });
  });
}

}  // namespace

bool remove_threads(Reduction& reduction, const SequentialOrder& order) {
  const std::uint32_t before = reduction.best.size.threads;
  for (std::size_t level = 1; !threads_of_level(reduction.best.schedule, level).empty(); ++level)
    remove_threads_of_level(reduction, order, level);
  return reduction.best.size.threads < before;
}

}  // namespace heddle::shrink
