#pragma once
// Counts how often a set of breakpoints makes a program fail: natively, and in controlled schedules.
#include <cstdint>
#include <optional>

#include "breakpoints/breakpoint_file.h"
#include "run/run_options.h"
#include "run/runner.h"
#include "support/result.h"

namespace heddle::breakpoints {

struct TrialCounts {
  int runs = 0;
  int failed = 0;  // with the wanted outcome
  int hit = 0;     // all breakpoints
  int both = 0;
};

class Trials {
 public:
  // `options`: of a controlled run, on fibers. `wanted`: the outcome of that run; without it every failure counts.
  // REQUIRES: an InterruptGuard lives.
  Trials(const run::RunOptions& options, std::optional<format::OutcomeKind> wanted, run::Runner& runner);

  // Native runs, until more than `misses_allowed` of them did not both hit all breakpoints and fail.
  Result<TrialCounts> natively(const BreakpointSet& set, int runs, int misses_allowed);
  // The same with different controlled schedules. There a thread waits at a breakpoint as long as its partners may
  // still arrive, and no real time passes. Therefore a failure in all schedules depends neither on the machine nor on
  // its load.
  Result<TrialCounts> in_schedules(const BreakpointSet& set, int schedules, int misses_allowed);
  // The steps of the failing run; a run with far more counts as endless.
  void set_length(std::uint64_t steps);
  int runs_made() const { return runs_made_; }

 private:
  bool fails(const run::Outcome& outcome) const;
  // `run_once(number)` executes one run with `options`, in which the breakpoints are active.
  template <typename RunOnce>
  Result<TrialCounts> count(const BreakpointSet& set, run::RunOptions& options, int runs, int misses_allowed,
                            RunOnce run_once);

  run::RunOptions native_, controlled_;
  const std::optional<format::OutcomeKind> wanted_;
  run::Runner& runner_;
  int runs_made_ = 0;
};

}  // namespace heddle::breakpoints
