#include "explain/trials/rearming.h"

#include <unordered_set>

#include "explain/heuristics.h"
#include "explain/recording/turn_span.h"

namespace heddle::explain {
namespace {

class Translator {
 public:
  Translator(const Recording& recording, ProgramOracle& oracle) : recording_(recording), oracle_(oracle) {
    for (const trace::Event& event : recording.events)
      if (format::is_access(event.kind)) sites_.insert(event.site);
  }

  // How far the thread has come in `run` when it has done so many of the points that `recording` counts.
  experiment::Turn find_turn(const Recording& run, ThreadId thread, const TurnSpan& stretch) const {
    std::uint64_t counted = 0, done = 0;
    for (std::size_t i = 0; i < run.events.size(); ++i) {
      const trace::Event& event = run.events[i];
      if (event.thread != thread || !is_point(event)) continue;
      const bool counts = !format::is_access(event.kind) || sites_.contains(event.site);
      if (counts && counted == stretch.until) break;
      counted += counts;
      done = run.done[i];
      if (stretch.sleeps && counted == stretch.until) break;
    }
    return experiment::turn_until(thread, done, stretch.sleeps, stretch.blocks);
  }

  Result<experiment::Turns> translate(const ThreadNumbers& numbers) {
    const std::vector<TurnSpan> stretches = turn_spans_of(recording_);
    if (stretches.size() > kRearmedSpansMax) return Error{"too many switches"};
    experiment::Turns order;
    for (const TurnSpan& stretch : stretches) {
      if (oracle_.time_is_up()) return Error{"out of time"};
      const ThreadId thread = oracle_.threads().number_of(numbers.names()[number(stretch.thread)]);
      experiment::Turns ahead = order;
      experiment::append(ahead, experiment::turn_until_blocked(thread));
      const Result<Recording> run = oracle_.record(ahead);
      if (!run) return run.error();
      experiment::append(order, find_turn(*run, thread, stretch));
    }
    return order;
  }

 private:
  const Recording& recording_;
  ProgramOracle& oracle_;
  std::unordered_set<std::uint32_t> sites_;
};

}  // namespace

Result<experiment::Turns> translate_order(const Recording& recording, const ThreadNumbers& numbers,
                                          ProgramOracle& oracle) {
  return Translator(recording, oracle).translate(numbers);
}

}  // namespace heddle::explain
