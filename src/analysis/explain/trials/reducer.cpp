#include "explain/trials/reducer.h"

#include <algorithm>
#include <optional>

#include "explain/heuristics.h"
#include "explain/recording/turn_span.h"

namespace heddle::explain {
namespace {

// The order with another end of one span.
experiment::Turns with_stop_at(std::vector<TurnSpan> spans, std::size_t stopped, std::uint64_t until) {
  TurnSpan& span = spans[stopped];
  span.until = until;
  span.sleeps = false;
  span.blocks = 1;
  return turns_of(spans);
}

// The order in which the thread starts this span together with its next one.
experiment::Turns without_start(std::vector<TurnSpan> spans, std::size_t stopped) {
  spans.erase(spans.begin() + static_cast<std::ptrdiff_t>(stopped));
  return turns_of(spans);
}

// The order in which the thread continues at this stop, to the end of its next span.
experiment::Turns without_stop(std::vector<TurnSpan> spans, std::size_t stopped) {
  const auto at = spans.begin() + static_cast<std::ptrdiff_t>(stopped);
  const auto next = std::find_if(at + 1, spans.end(), [&](const TurnSpan& span) { return span.thread == at->thread; });
  // Without a next span, the stop is after a point that no thread reaches: the thread runs until it blocks.
  if (next == spans.end()) return with_stop_at(std::move(spans), stopped, experiment::kUntilBlocked - 1);
  *at = *next;
  spans.erase(next);
  return turns_of(spans);
}

// A recording of the order; nullopt if the program does not fail in the same way.
Result<std::optional<Recording>> record_if_failing(ProgramOracle& oracle, const Recording& failing,
                                                   const experiment::Turns& order) {
  const Result<Attempt> attempt = oracle.attempt(order, 0);
  if (!attempt) return attempt.error();
  if (attempt->ending != Ending::Fails) return std::optional<Recording>{};
  Result<Recording> recorded = oracle.record(order);
  if (!recorded) return recorded.error();
  if (recorded->report.outcome.signature != failing.report.outcome.signature) return std::optional<Recording>{};
  return std::optional<Recording>(std::move(*recorded));
}

// Shortens the order to the shortest prefix that still leads to the failure when all threads then run unpreempted.
Result<Recording> shortest_prefix(ProgramOracle& oracle, Recording failing) {
  const experiment::Turns whole = turns_of(turn_spans_of(failing));
  const std::size_t stride = whole.size() / kPrefixesTried + 1;
  for (std::size_t length = 0; length < whole.size() && !oracle.time_is_up(); length += stride) {
    const experiment::Turns order(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    Result<std::optional<Recording>> recorded = record_if_failing(oracle, failing, order);
    if (!recorded) return recorded.error();
    if (!*recorded) continue;
    oracle.set_choices((*recorded)->choices);
    return std::move(**recorded);
  }
  return failing;
}

// Points at which the thread could stop instead, before and after the critical section that it entered in this span;
// empty if it stops outside of one.
std::vector<std::uint64_t> points_outside(const Recording& recording, const TurnSpan& span) {
  HeldLocks locks = locks_before(recording, span.end);
  const std::span<const HeldLock> held = locks.of(span.thread);
  const auto entered =
      std::ranges::find_if(held, [&](const HeldLock& lock) { return recording.done[lock.since] > span.done_before; });
  if (entered == held.end()) return {};
  const std::size_t since = entered->since;
  std::vector<std::uint64_t> points{recording.done[since] - 1};
  for (std::size_t i = span.end; i < recording.events.size(); ++i) {
    locks.add(recording.events[i], i);
    const std::span<const HeldLock> left = locks.of(span.thread);
    if (std::ranges::find(left, since, &HeldLock::since) != left.end()) continue;
    points.push_back(recording.done[i]);
    break;
  }
  return points;
}

Result<Recording> drop_preemptions(ProgramOracle& oracle, Recording failing) {
  bool changed = true;
  while (changed && !oracle.time_is_up()) {
    changed = false;
    std::vector<TurnSpan> spans = turn_spans_of(failing);
    for (std::size_t i = spans.size(); i-- > 0 && !oracle.time_is_up();) {
      if (!spans[i].preempted) continue;
      for (const experiment::Turns& order : {without_stop(spans, i), without_start(spans, i)}) {
        Result<std::optional<Recording>> recorded = record_if_failing(oracle, failing, order);
        if (!recorded) return recorded.error();
        if (!*recorded) continue;
        std::vector<TurnSpan> fewer = turn_spans_of(**recorded);
        if (preemptions_in(fewer) >= preemptions_in(spans)) continue;
        failing = std::move(**recorded);
        spans = std::move(fewer);
        oracle.set_choices(failing.choices);
        i = std::min(i, spans.size());
        changed = true;
        break;
      }
    }
  }
  return failing;
}

// Moves each stop out of the critical section that contains it, if the program still fails.
Result<Recording> leave_critical_sections(ProgramOracle& oracle, Recording failing) {
  std::vector<TurnSpan> spans = turn_spans_of(failing);
  for (std::size_t i = spans.size(); i-- > 0 && !oracle.time_is_up();) {
    if (i >= spans.size() || !spans[i].preempted) continue;
    for (const std::uint64_t until : points_outside(failing, spans[i])) {
      if (until <= spans[i].done_before) continue;
      Result<std::optional<Recording>> moved = record_if_failing(oracle, failing, with_stop_at(spans, i, until));
      if (!moved) return moved.error();
      if (!*moved) continue;
      Result<Recording> reduced = drop_preemptions(oracle, std::move(**moved));
      if (!reduced) return reduced;
      if (preemptions_in(turn_spans_of(*reduced)) > preemptions_in(spans)) continue;
      failing = std::move(*reduced);
      spans = turn_spans_of(failing);
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
