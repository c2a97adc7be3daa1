#pragma once
#include <cstdint>
#include <optional>

#include "shrink/heuristics.h"

namespace heddle::shrink {

// What the runs have cost so far, and whether another one can be afforded. Counts steps and never looks at the clock,
// so that one clip is shrunk alike on every machine.
class Budget {
 public:
  explicit Budget(std::uint64_t original_events)
      : original_events_(original_events), shortest_(original_events), effort_(original_events) {}

  // A run made so many steps and skipped so many iterations.
  void spend(std::uint64_t steps, std::uint64_t skipped = 0, std::uint64_t tenths = Heuristics::kPlainTenths);
  void count_rounds(std::uint64_t rounds) { rounds_ += rounds; }
  // Of the steps, those that were needed to find an order in which the whole program passes.
  void note_unavoidable(std::uint64_t steps) { unavoidable_ += steps; }
  // A run of this length failed in the wanted way.
  void note_failing(std::uint64_t events);

  std::uint64_t rounds() const { return rounds_; }  // schedules tried
  std::uint64_t steps() const { return steps_; }    // that all runs made together
  std::uint64_t unavoidable_steps() const { return unavoidable_; }
  std::uint64_t original_events() const { return original_events_; }
  std::uint64_t shortest() const { return shortest_; }  // steps of the shortest run that failed in the wanted way
  bool is_long() const { return original_events_ > Heuristics::kLongRun; }

  // Whether so many further runs of this length may be made: on short executions nearly always, on long ones while all
  // runs together, but those of the whole program, have not taken a few times the original.
  bool can_afford(std::uint64_t runs, std::uint64_t events) const { return runs * events <= affordable(events); }
  std::uint64_t affordable(std::uint64_t events = 0) const;  // steps, in runs of this length

 private:
  const std::uint64_t original_events_;
  std::uint64_t shortest_;
  std::uint64_t rounds_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t unavoidable_ = 0;
  // Time that was spent, in steps of runs that are not recorded, the first replay included; and until the failing run
  // was small for the first time.
  std::uint64_t effort_;
  std::optional<std::uint64_t> effort_until_small_;
};

}  // namespace heddle::shrink
