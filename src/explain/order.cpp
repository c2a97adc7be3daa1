#include "explain/order.h"

#include <algorithm>

namespace heddle::explain {

void append(Order& order, Leg leg) {
  if (!order.empty() && order.back().thread == leg.thread) {
    if (leg.until >= order.back().until) order.back() = leg;
    return;
  }
  std::uint64_t before = 0;
  for (const Leg& earlier : order)
    if (earlier.thread == leg.thread) before = std::max(before, earlier.until);
  if (leg.until > before) order.push_back(leg);
}

PlannedRuns plan(const Order& order, std::uint64_t base_step) {
  PlannedRuns planned;
  std::vector<std::uint64_t> arrived{base_step};
  for (const Leg& leg : order) {
    const std::uint32_t thread = number(leg.thread);
    if (thread >= arrived.size()) arrived.resize(thread + 1, 0);
    const std::uint64_t wanted = leg.until + (leg.sleeps ? 0 : 1);
    if (wanted > arrived[thread]) {
      const auto points = static_cast<std::uint32_t>(wanted - arrived[thread]);
      arrived[thread] = wanted;
      if (!planned.runs.empty() && planned.runs.back().thread == thread)
        planned.runs.back().points += points;
      else
        planned.runs.push_back({thread, points, 0, 0});
    }
    planned.runs_until.push_back(planned.runs.size());
  }
  return planned;
}

}  // namespace heddle::explain
