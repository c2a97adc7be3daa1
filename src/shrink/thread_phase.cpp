#include <algorithm>

#include "shrink/ddmin.h"
#include "shrink/phases.h"
#include "shrink/schedule_search.h"

namespace heddle::shrink {
namespace {

// 0 for main, 1 for its children.
std::size_t level_of(const std::string& name) {
  return static_cast<std::size_t>(std::count(name.begin(), name.end(), '.'));
}

std::vector<std::string> threads_of_level(const Plan& plan, std::size_t level) {
  std::vector<std::string> names;
  for (const std::string& name : plan.threads)
    if (level_of(name) == level) names.push_back(name);
  return names;
}

void remove_threads_of_level(Reduction& reduction, const SequentialOrder& order, std::size_t level) {
  const Plan plan = reduction.best.plan;
  const std::vector<std::string> names = threads_of_level(plan, level);
  const auto disabled = [&](const Kept& kept) {
    std::vector<std::string> all = plan.omitted.threads;
    for (std::uint32_t i = 0; i < names.size(); ++i)
      if (!std::binary_search(kept.begin(), kept.end(), i)) all.push_back(names[i]);
    return all;
  };
  Kept items(names.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) items[i] = i;
  ddmin(items, [&](std::size_t count, const std::function<Kept(std::size_t)>& kept) -> std::optional<std::size_t> {
    std::optional<Laboratory::Found> found = reduction.laboratory.first_failing(
        count, [&](std::size_t i) { return without_threads(plan, disabled(kept(i))); },
        [&](const Failing& failing) { return reduction.laboratory.passes(order, failing.plan.omitted); });
    if (!found) return std::nullopt;
    reduction.take(std::move(found->failing));
    return found->index;
  });
}

// Those that are not kept and whose parents are.
std::vector<std::string> all_but(const Plan& plan, const std::vector<std::string>& kept) {
  const auto is_kept = [&](const std::string& name) {
    return std::any_of(kept.begin(), kept.end(), [&](const std::string& other) { return descends_from(other, name); });
  };
  std::vector<std::string> disabled = plan.omitted.threads;
  for (const std::string& name : plan.threads)
    if (level_of(name) > 0 && !is_kept(name) && (level_of(name) == 1 || is_kept(name.substr(0, name.rfind('.')))))
      disabled.push_back(name);
  return disabled;
}

}  // namespace

bool guess_threads(Reduction& reduction, const SequentialOrder& order, const Studied& studied) {
  constexpr std::size_t kSearched = 2;
  constexpr std::uint32_t kPreemptions = 1;
  Laboratory& laboratory = reduction.laboratory;
  const Plan plan = reduction.best.plan;
  const std::vector<std::uint32_t> near = studied.communication.near(studied.failed);
  const auto kept = [&](std::size_t count) {
    std::vector<std::string> names;
    for (const std::uint32_t thread : studied.failed) names.push_back(studied.threads[thread]);
    for (std::size_t i = 0; i < std::min(count, near.size()); ++i) names.push_back(studied.threads[near[i]]);
    return names;
  };
  const auto passes = [&](const Failing& failing) { return laboratory.passes(order, failing.plan.omitted); };
  const auto is_worth_it = [&](std::size_t count) { return 2 * kept(count).size() < plan.threads.size(); };
  const auto project = [&](std::size_t count) {
    std::optional<Laboratory::Found> found = laboratory.first_failing(
        1, [&](std::size_t) { return without_threads(plan, all_but(plan, kept(count))); }, passes);
    if (found) reduction.take(std::move(found->failing));
    return found.has_value();
  };
  // Without the others the places may be elsewhere where threads have to be stopped.
  const auto search = [&](std::size_t count) {
    ScheduleSearch schedules(laboratory, {all_but(plan, kept(count)), {}}, kPreemptions);
    std::optional<Failing> found = schedules.find(passes, laboratory.affordable() / 4);
    if (found) reduction.take(std::move(*found));
    return found.has_value();
  };
  for (std::size_t count = 0; is_worth_it(count) && count < 2 * near.size(); count = std::max<std::size_t>(1, 2 * count))
    if (project(count)) return true;
  for (std::size_t count = 1; count <= kSearched && laboratory.can_serve(); ++count)
    if (is_worth_it(count) && search(count)) return true;
  return false;
}

bool remove_threads(Reduction& reduction, const SequentialOrder& order) {
  const std::uint32_t before = reduction.best.size.threads;
  for (std::size_t level = 1; !threads_of_level(reduction.best.plan, level).empty(); ++level)
    remove_threads_of_level(reduction, order, level);
  return reduction.best.size.threads < before;
}

}  // namespace heddle::shrink
