#pragma once
#include <cstdint>
#include <vector>
#include "explore/armed_sets.h"
#include "explore/explore_options.h"
namespace heddle::explore {
struct Profile { std::uint64_t length = 1000; std::uint32_t threads = 2; };
struct SchedulePlan { format::StrategyKind strategy; std::uint64_t seed; std::uint64_t quantum; std::uint32_t depth; std::uint64_t length; std::vector<std::uint32_t> interesting; std::vector<std::uint64_t> counts; };
inline Profile profile_of(const ArmedSet& a) { return {a.profile.steps - a.profile.private_accesses, a.profile.threads}; }
inline SchedulePlan plan_schedule(Method m, std::uint64_t seed, std::uint64_t index, const Profile& p) {
  SchedulePlan plan{format::StrategyKind::Random, seed * 1000003 + index, 1 + index % 20, 3, p.length, {}, {}};
  if (m == Method::Pct || (m == Method::Portfolio && index % 3 == 1)) { plan.strategy = format::StrategyKind::Pct; plan.depth = 2 + index % 2; }
  if (m == Method::Pos || (m == Method::Portfolio && index % 5 == 2)) plan.strategy = format::StrategyKind::Pos;
  return plan;
}
}
