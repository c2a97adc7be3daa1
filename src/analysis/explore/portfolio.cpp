#include "explore/portfolio.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/hash.h"
#include "base/random.h"
#include "explore/heuristics.h"

namespace heddle::explore {
namespace {

using format::StrategyKind;

std::uint64_t largest_quantum(std::uint64_t length) {
  if (length < 4 * kQuantumMax) return std::max<std::uint64_t>(length / 4, 1);
  return std::max(kQuantumMax, length / kQuantumShare);
}

// All orders of magnitude are equally likely.
std::uint64_t draw_quantum(std::uint64_t largest, Random& random) {
  std::uint64_t magnitudes = 0;
  while (largest >> magnitudes > 1) ++magnitudes;
  const std::uint64_t least = std::uint64_t{1} << random.below(magnitudes + 1);
  return std::min(least + random.below(least), largest);
}

// Without groups: all shared sites, or a random half or quarter of them.
std::vector<std::uint32_t> draw_sites(const Profile& profile, Random& random) {
  std::set<std::uint32_t> sites;
  for (const Profile::Count& count : profile.counts) sites.insert(count.site);
  const std::uint64_t rarity = std::uint64_t{1} << random.below(3);
  std::vector<std::uint32_t> drawn;
  for (const std::uint32_t site : sites) {
    if (random.below(rarity) == 0) drawn.push_back(site);
  }
  return drawn;
}

// Chooses the sites of one shared object, as in the paper: few bugs need more objects, and the number of orders of its
// operations is small enough for uniform sampling.
void draw_interesting(const Profile& profile, Random& random, PlannedSchedule& plan) {
  plan.interesting =
      profile.groups.empty() ? draw_sites(profile, random) : profile.groups[random.below(profile.groups.size())];
  std::sort(plan.interesting.begin(), plan.interesting.end());
  for (const Profile::Count& count : profile.counts) {
    if (!std::binary_search(plan.interesting.begin(), plan.interesting.end(), count.site)) continue;
    if (plan.counts.size() <= count.thread) plan.counts.resize(count.thread + 1);
    plan.counts[count.thread] += count.events;
  }
}

}  // namespace

PlannedSchedule plan_schedule(std::uint64_t seed, std::uint64_t index, const Profile& profile,
                              std::optional<StrategyKind> only) {
  EventHash hash = EventHash::resume(seed);
  hash.add(index);
  Random random{hash.value()};
  PlannedSchedule plan{};
  plan.seed = random.next();
  plan.strategy = only.value_or(kPortfolio[index % std::size(kPortfolio)]);
  if (plan.strategy == StrategyKind::Surw) {
    draw_interesting(profile, random, plan);
    if (plan.interesting.empty()) plan.strategy = StrategyKind::Pos;
  }
  if (plan.strategy == StrategyKind::Random) plan.quantum = draw_quantum(largest_quantum(profile.length), random);
  if (plan.strategy == StrategyKind::Pct) {
    plan.depth = kDepths[random.below(std::size(kDepths))];
    plan.length = profile.length;
  }
  return plan;
}

}  // namespace heddle::explore
