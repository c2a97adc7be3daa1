#include "explain/trials/rearming.h"

#include <unordered_set>

#include "explain/heuristics.h"
#include "explain/recording/turn_span.h"

namespace heddle::explain {
namespace {

// The turn of `thread` in `run` that corresponds to `span`. `armed`: access sites whose points the span counts.
experiment::Turn find_turn(const Recording& run, ThreadId thread, const TurnSpan& span,
                           const std::unordered_set<std::uint32_t>& armed) {
  std::uint64_t counted = 0, done = 0;
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    const trace::Event& event = run.events[i];
    if (event.thread != thread || !is_point(event)) continue;
    const bool counts = !format::is_access(event.kind) || armed.contains(event.site);
    if (counts && counted == span.until) break;
    counted += counts;
    done = run.done[i];
    if (span.sleeps && counted == span.until) break;
  }
  return experiment::turn_until(thread, done, span.sleeps, span.blocks);
}

}  // namespace

Result<experiment::Turns> translate_order(const Recording& recording, const ThreadNumbers& numbers,
                                          ProgramOracle& oracle) {
  std::unordered_set<std::uint32_t> armed;
  for (const trace::Event& event : recording.events)
    if (format::is_access(event.kind)) armed.insert(event.site);
  const std::vector<TurnSpan> spans = turn_spans_of(recording);
  if (spans.size() > kRearmedSpansMax) return Error{"too many switches"};
  experiment::Turns order;
  for (const TurnSpan& span : spans) {
    if (oracle.time_is_up()) return Error{"out of time"};
    const ThreadId thread = oracle.threads().number_of(numbers.names()[number(span.thread)]);
    experiment::Turns ahead = order;
    experiment::append(ahead, experiment::turn_until_blocked(thread));
    const Result<Recording> run = oracle.record(ahead);
    if (!run) return run.error();
    experiment::append(order, find_turn(*run, thread, span, armed));
  }
  return order;
}

}  // namespace heddle::explain
