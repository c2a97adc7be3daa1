#pragma once
#include <cstdint>
#include <optional>

#include "shrink/heuristics.h"

namespace heddle::shrink {

// Cost of all runs so far, and the limit on further runs. The budget counts steps and never reads the clock, so one
// clip is shrunk in the same way on every machine. Two quantities are kept:
// - Steps: scheduling points of all runs. Their limit is a multiple of the original's length (Heuristics::kEighths).
//   Steps that were needed to find a passing order of the whole program extend the limit.
// - Effort: an estimate of time, in steps of an unrecorded run. It includes the start of each copy, skipped iterations
//   and the cost of recording. For long originals it bounds the work after the failing run has become small.
class Budget {
 public:
  explicit Budget(std::uint64_t original_events)
      : original_events_(original_events), shortest_(original_events), effort_(original_events) {}

  // Accounts for one run. `tenths`: its cost per step, relative to an unrecorded run.
  void spend(std::uint64_t steps, std::uint64_t skipped = 0, std::uint64_t tenths = Heuristics::kPlainTenths);
  void count_rounds(std::uint64_t rounds) { rounds_ += rounds; }
  // Excludes steps from the limit: the search for an order in which the whole program passes.
  void note_unavoidable(std::uint64_t steps) { unavoidable_ += steps; }
  // Records the length of a run that failed in the wanted way.
  void note_failing(std::uint64_t events);

  std::uint64_t rounds() const { return rounds_; }  // schedules tried
  std::uint64_t steps() const { return steps_; }    // of all runs
  std::uint64_t unavoidable_steps() const { return unavoidable_; }
  std::uint64_t original_events() const { return original_events_; }
  std::uint64_t shortest() const { return shortest_; }  // steps of the shortest run that failed in the wanted way
  bool is_long() const { return original_events_ > Heuristics::kLongRun; }

  // True if the budget permits `runs` further runs of `events` steps each.
  bool can_afford(std::uint64_t runs, std::uint64_t events) const { return runs * events <= affordable(events); }
  std::uint64_t affordable(std::uint64_t events = 0) const;  // steps left for runs of this length

 private:
  const std::uint64_t original_events_;
  std::uint64_t shortest_;
  std::uint64_t rounds_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t unavoidable_ = 0;
  std::uint64_t effort_;                             // includes the first replay
  std::optional<std::uint64_t> effort_until_small_;  // when the failing run became small for the first time
};

}  // namespace heddle::shrink
