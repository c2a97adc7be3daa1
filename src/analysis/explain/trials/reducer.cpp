#include "explain/trials/reducer.h"

#include <algorithm>
#include <optional>

#include "explain/heuristics.h"
#include "explain/recording/turn_span.h"

namespace heddle::explain {
namespace {

std::size_t next_of(const std::vector<TurnSpan>& stretches, std::size_t from, ThreadId thread) {
  for (std::size_t i = from; i < stretches.size(); ++i)
    if (stretches[i].thread == thread) return i;
  return stretches.size();
}

// The thread goes on where it was stopped, to the end of its next stretch.
experiment::Turns without_stop(const std::vector<TurnSpan>& stretches, std::size_t stopped) {
  const std::size_t next = next_of(stretches, stopped + 1, stretches[stopped].thread);
  experiment::Turns order;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (i == next) continue;
    if (i != stopped)
      experiment::append(order, stretches[i].turn());
    else
      experiment::append(order, next < stretches.size() ? stretches[next].turn()
                                                        : experiment::turn_until_blocked(stretches[i].thread));
  }
  return order;
}

// The thread does what it did before the stop only when it would have gone on.
experiment::Turns without_start(const std::vector<TurnSpan>& stretches, std::size_t stopped) {
  experiment::Turns order;
  for (std::size_t i = 0; i < stretches.size(); ++i)
    if (i != stopped) experiment::append(order, stretches[i].turn());
  return order;
}

// A recording of the order, when the program fails in it as it did.
Result<std::optional<Recording>> fails_alike(ProgramOracle& oracle, const Recording& failing,
                                             const experiment::Turns& order) {
  const Result<Attempt> attempt = oracle.attempt(order, 0);
  if (!attempt) return attempt.error();
  if (attempt->ending != Ending::Fails) return std::optional<Recording>{};
  Result<Recording> recorded = oracle.record(order);
  if (!recorded) return recorded.error();
  if (recorded->report.outcome.signature != failing.report.outcome.signature) return std::optional<Recording>{};
  return std::optional<Recording>(std::move(*recorded));
}

// What comes after the failure has become inevitable is done without preemptions.
Result<Recording> shortest_prefix(ProgramOracle& oracle, Recording failing) {
  const experiment::Turns whole = turns_of(turn_spans_of(failing));
  const std::size_t stride = whole.size() / kPrefixesTried + 1;
  for (std::size_t length = 0; length < whole.size() && !oracle.time_is_up(); length += stride) {
    const experiment::Turns order(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    Result<std::optional<Recording>> recorded = fails_alike(oracle, failing, order);
    if (!recorded) return recorded.error();
    if (!*recorded) continue;
    oracle.set_choices((*recorded)->choices);
    return std::move(**recorded);
  }
  return failing;
}

// The order with one stop elsewhere.
experiment::Turns with_stop_at(const std::vector<TurnSpan>& stretches, std::size_t stopped, std::uint64_t until) {
  experiment::Turns order;
  for (std::size_t i = 0; i < stretches.size(); ++i)
    experiment::append(order, i == stopped ? experiment::turn_until(stretches[i].thread, until) : stretches[i].turn());
  return order;
}

// Where the stopped thread could stand instead so that it is inside of no critical section that it entered meanwhile:
// before it, and behind it.
std::vector<std::uint64_t> places_outside(const Recording& recording, const TurnSpan& stretch) {
  HeldLocks locks;
  for (std::size_t i = 0; i < stretch.end; ++i) locks.add(recording.events[i], i);
  const std::span<const HeldLock> held = locks.of(stretch.thread);
  const auto entered = std::ranges::find_if(
      held, [&](const HeldLock& lock) { return recording.done[lock.since] > stretch.done_before; });
  if (entered == held.end()) return {};
  const std::size_t since = entered->since;
  std::vector<std::uint64_t> places{recording.done[since] - 1};
  for (std::size_t i = stretch.end; i < recording.events.size(); ++i) {
    locks.add(recording.events[i], i);
    const std::span<const HeldLock> left = locks.of(stretch.thread);
    if (std::ranges::find(left, since, &HeldLock::since) != left.end()) continue;
    places.push_back(recording.done[i]);
    break;
  }
  return places;
}

Result<Recording> drop_preemptions(ProgramOracle& oracle, Recording failing) {
  bool changed = true;
  while (changed && !oracle.time_is_up()) {
    changed = false;
    std::vector<TurnSpan> stretches = turn_spans_of(failing);
    for (std::size_t i = stretches.size(); i-- > 0 && !oracle.time_is_up();) {
      if (!stretches[i].preempted) continue;
      for (const experiment::Turns& order : {without_stop(stretches, i), without_start(stretches, i)}) {
        Result<std::optional<Recording>> recorded = fails_alike(oracle, failing, order);
        if (!recorded) return recorded.error();
        if (!*recorded) continue;
        std::vector<TurnSpan> fewer = turn_spans_of(**recorded);
        if (preemptions_in(fewer) >= preemptions_in(stretches)) continue;
        failing = std::move(**recorded);
        stretches = std::move(fewer);
        oracle.set_choices(failing.choices);
        i = std::min(i, stretches.size());
        changed = true;
        break;
      }
    }
  }
  return failing;
}

// A thread that is stopped inside of a critical section though it need not be hides what belongs to that section.
Result<Recording> leave_critical_sections(ProgramOracle& oracle, Recording failing) {
  std::vector<TurnSpan> stretches = turn_spans_of(failing);
  for (std::size_t i = stretches.size(); i-- > 0 && !oracle.time_is_up();) {
    if (i >= stretches.size() || !stretches[i].preempted) continue;
    for (const std::uint64_t until : places_outside(failing, stretches[i])) {
      if (until <= stretches[i].done_before) continue;
      Result<std::optional<Recording>> moved = fails_alike(oracle, failing, with_stop_at(stretches, i, until));
      if (!moved) return moved.error();
      if (!*moved) continue;
      Result<Recording> reduced = drop_preemptions(oracle, std::move(**moved));
      if (!reduced) return reduced;
      if (preemptions_in(turn_spans_of(*reduced)) > preemptions_in(stretches)) continue;
      failing = std::move(*reduced);
      stretches = turn_spans_of(failing);
      oracle.set_choices(failing.choices);
      break;
    }
  }
  return failing;
}

}  // namespace

Result<Recording> reduce_preemptions(ProgramOracle& oracle, Recording given) {
  Result<Recording> shortened = shortest_prefix(oracle, std::move(given));
  if (!shortened) return shortened;
  Result<Recording> fewer = drop_preemptions(oracle, std::move(*shortened));
  return fewer ? leave_critical_sections(oracle, std::move(*fewer)) : std::move(fewer);
}

}  // namespace heddle::explain
