#include "explain/reducer.h"

#include <algorithm>

#include "explain/stretch.h"

namespace heddle::explain {
namespace {

std::size_t next_of(const std::vector<Stretch>& stretches, std::size_t from, ThreadId thread) {
  for (std::size_t i = from; i < stretches.size(); ++i)
    if (stretches[i].thread == thread) return i;
  return stretches.size();
}

// The thread goes on where it was stopped, to the end of its next stretch.
Order without_stop(const std::vector<Stretch>& stretches, std::size_t stopped) {
  const std::size_t next = next_of(stretches, stopped + 1, stretches[stopped].thread);
  Order order;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (i == next) continue;
    if (i != stopped)
      append(order, stretches[i].leg());
    else
      append(order, next < stretches.size() ? stretches[next].leg() : Leg{stretches[i].thread, kAsFarAsItGoes});
  }
  return order;
}

// The thread does what it did before the stop only when it would have gone on.
Order without_start(const std::vector<Stretch>& stretches, std::size_t stopped) {
  Order order;
  for (std::size_t i = 0; i < stretches.size(); ++i)
    if (i != stopped) append(order, stretches[i].leg());
  return order;
}

constexpr std::size_t kPrefixesTried = 150;

// What comes after the failure has become inevitable is done without preemptions.
Result<Recording> shortest_prefix(Laboratory& laboratory, Recording failing) {
  const Order whole = order_of(stretches_of(failing));
  const std::size_t stride = whole.size() / kPrefixesTried + 1;
  for (std::size_t length = 0; length < whole.size() && !laboratory.time_is_up(); length += stride) {
    const Order order(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    const Result<Trial> trial = laboratory.attempt(order, 0);
    if (!trial) return trial.error();
    if (trial->ending != Ending::Fails) continue;
    Result<Recording> recorded = laboratory.record(order);
    if (!recorded) return recorded.error();
    if (recorded->report.outcome.signature != failing.report.outcome.signature) continue;
    laboratory.set_choices(recorded->choices);
    return recorded;
  }
  return failing;
}

}  // namespace

Result<Recording> reduce_preemptions(Laboratory& laboratory, Recording given) {
  Result<Recording> shortened = shortest_prefix(laboratory, std::move(given));
  if (!shortened) return shortened;
  Recording failing = std::move(*shortened);
  bool changed = true;
  while (changed && !laboratory.time_is_up()) {
    changed = false;
    std::vector<Stretch> stretches = stretches_of(failing);
    for (std::size_t i = stretches.size(); i-- > 0 && !laboratory.time_is_up();) {
      if (!stretches[i].preempted) continue;
      for (const Order& order : {without_stop(stretches, i), without_start(stretches, i)}) {
        Result<Trial> trial = laboratory.attempt(order, 0);
        if (!trial) return trial.error();
        if (trial->ending != Ending::Fails) continue;
        Result<Recording> recorded = laboratory.record(order);
        if (!recorded) return recorded.error();
        std::vector<Stretch> fewer = stretches_of(*recorded);
        if (recorded->report.outcome.signature != failing.report.outcome.signature ||
            preemptions_in(fewer) >= preemptions_in(stretches))
          continue;
        failing = std::move(*recorded);
        stretches = std::move(fewer);
        laboratory.set_choices(failing.choices);
        i = std::min(i, stretches.size());
        changed = true;
        break;
      }
    }
  }
  return failing;
}

}  // namespace heddle::explain
