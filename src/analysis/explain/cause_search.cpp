#include "explain/cause_search.h"

#include "explain/heuristics.h"

namespace heddle::explain {
namespace {

class CauseSearch {
 public:
  CauseSearch(TrialOracle& oracle, const ObservedPtr& failing)
      : oracle_(oracle), failing_(failing), finder_(oracle, failing) {}

  // The most informative patterns come first. Conflicts on memory explain more than conflicts on primitives, except in
  // runs that end in a lost wake-up. Whole patterns, with both pairs, explain more than partial ones.
  Result<std::optional<CauseDraft>> run() {
    const bool waits = failing_->recording.report.outcome.kind == format::OutcomeKind::LostWakeup;
    std::optional<CauseDraft> partial;
    for (const Want want : {Want::Memory, Want::Waiting}) {
      if (waits) break;
      Result<std::optional<CauseDraft>> whole = at_preemptions(want, partial);
      if (!whole || *whole) return whole;
    }
    if (!waits) {
      Result<std::optional<CauseDraft>> whole = at_blocks(Want::Waiting);
      if (!whole || *whole) return whole;
    }
    if (partial) return partial;
    for (const Want want : {Want::Memory, Want::Anything}) {
      if (waits && want == Want::Memory) continue;
      Result<std::optional<CauseDraft>> cause = at_preemptions(want, partial);
      if (!cause || *cause) return cause;
      if (partial) return partial;
      cause = at_starts(want);
      if (!cause || *cause) return cause;
    }
    return std::optional<CauseDraft>{};
  }

 private:
  // The last preemption with a whole pattern, because it is the nearest to the failure; but a stale read has
  // precedence.
  Result<std::optional<CauseDraft>> at_preemptions(Want want, std::optional<CauseDraft>& partial) {
    const std::vector<TurnSpan>& spans = finder_.spans();
    std::optional<CauseDraft> whole;
    for (std::size_t i = spans.size(); i-- > 0 && !oracle_.time_is_up();) {
      if (!spans[i].preempted) continue;
      Result<std::optional<Pattern>> pattern = finder_.at_preemption(i, want);
      if (!pattern) return pattern.error();
      if (!*pattern || !(*pattern)->last) continue;
      CauseDraft draft = describe_pattern(**pattern, *failing_, oracle_);
      std::optional<CauseDraft>& slot = (*pattern)->first ? whole : partial;
      if (!slot || (draft.stale && !slot->stale)) slot = std::move(draft);
    }
    return whole;
  }

  // A thread that blocks on a lock is stopped, too, without a preemption.
  Result<std::optional<CauseDraft>> at_blocks(Want want) {
    std::optional<CauseDraft> whole;
    for (std::size_t i = finder_.spans().size(); i-- > 0 && !oracle_.time_is_up();) {
      Result<std::optional<Pattern>> pattern = finder_.at_block(i, want);
      if (!pattern) return pattern.error();
      if (!*pattern || !(*pattern)->first) continue;
      CauseDraft draft = describe_pattern(**pattern, *failing_, oracle_);
      if (!whole || (draft.stale && !whole->stale)) whole = std::move(draft);
    }
    return whole;
  }

  // Threads that could have run before the others.
  Result<std::optional<CauseDraft>> at_starts(Want want) {
    const std::vector<TurnSpan>& spans = finder_.spans();
    std::size_t tried = 0;
    for (std::size_t i = spans.size(); i-- > 1 && tried < kStartsMax && !oracle_.time_is_up(); ++tried) {
      for (std::uint32_t thread = 0; thread < oracle_.threads().names().size(); ++thread) {
        if (spans[i].thread == ThreadId{thread} || !existed_at(spans[i].begin, ThreadId{thread})) continue;
        Result<std::optional<Pattern>> pattern = finder_.at_start(i, ThreadId{thread}, want);
        if (!pattern) return pattern.error();
        if (*pattern && (*pattern)->last) return std::optional(describe_pattern(**pattern, *failing_, oracle_));
      }
    }
    return std::optional<CauseDraft>{};
  }

  bool existed_at(std::size_t event, ThreadId thread) const {
    bool created = thread == kMainThread;
    for (std::size_t i = 0; i < event; ++i) {
      const trace::Event& earlier = failing_->recording.events[i];
      if (earlier.kind == format::EventKind::Fork && earlier.object == number(thread)) created = true;
      if (earlier.kind == format::EventKind::Exit && earlier.thread == thread) return false;
    }
    return created;
  }

  TrialOracle& oracle_;
  const ObservedPtr& failing_;
  PatternFinder finder_;
};

}  // namespace

Result<std::optional<CauseDraft>> search_cause(TrialOracle& oracle, const ObservedPtr& failing) {
  return CauseSearch(oracle, failing).run();
}

}  // namespace heddle::explain
