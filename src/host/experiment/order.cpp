#include "experiment/order.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace heddle::experiment {
namespace {

std::tuple<std::uint64_t, std::uint32_t> come_to(const Leg& leg) {
  return leg.sleeps ? std::tuple{leg.until, leg.blocks} : std::tuple{leg.until + 1, 0u};
}

}  // namespace

void append(Order& order, Leg leg) {
  if (!order.empty() && order.back().thread == leg.thread) {
    if (come_to(leg) >= come_to(order.back())) order.back() = leg;
    return;
  }
  for (auto earlier = order.rbegin(); earlier != order.rend(); ++earlier) {
    if (earlier->thread != leg.thread) continue;
    if (come_to(leg) > come_to(*earlier)) order.push_back(leg);
    return;
  }
  if (leg.until > 0 || leg.sleeps) order.push_back(leg);
}

std::vector<format::ReplayRun> turns_of(const Order& order) {
  std::vector<format::ReplayRun> turns;
  for (const Leg& leg : order)
    turns.push_back({number(leg.thread), static_cast<std::uint32_t>(std::get<0>(come_to(leg))), leg.blocks,
                     leg.sleeps ? 1u : 0u});
  return turns;
}

bool was_followed(const Order& order, std::size_t legs, const run::Decisions& made,
                  const std::vector<std::string>& names, std::uint64_t base_step) {
  std::map<std::string, std::uint64_t> arrived{{"0", base_step}};
  std::size_t leg = 0;
  const auto is_done = [&] {
    return arrived[names[number(order[leg].thread)]] >= std::get<0>(come_to(order[leg]));
  };
  legs = std::min(legs, order.size());
  for (const run::Decisions::Run& run : made.runs) {
    while (leg < legs && is_done()) ++leg;
    if (leg == legs) return true;
    const std::string name = made.descent_name(run.thread);
    if (run.points != 0 && name != names[number(order[leg].thread)]) return false;
    arrived[name] += run.points;
  }
  while (leg < legs && is_done()) ++leg;
  return leg == legs;
}

}  // namespace heddle::experiment
