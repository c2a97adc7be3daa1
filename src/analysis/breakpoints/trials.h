#pragma once
// Whether a set of breakpoints makes a program fail: natively, and in many schedules under control.
#include <cstdint>
#include <optional>

#include "breakpoints/breakpoint_file.h"
#include "run/run_options.h"
#include "run/runner.h"
#include "support/result.h"

namespace heddle::breakpoints {

struct TrialCounts {
  int runs = 0;
  int failed = 0;  // as wanted
  int hit = 0;     // all breakpoints were
  int both = 0;
};

class Trials {
 public:
  // `options` are those of a controlled run, on fibers. REQUIRES: an InterruptGuard lives. `wanted`: how that one
  // failed; without it every failure counts.
  Trials(const run::RunOptions& options, std::optional<format::OutcomeKind> wanted, run::Runner& runner);

  // Native runs with these breakpoints. With `all_or_nothing` it stops at the first that does not both hit all of them
  // and fail.
  Result<TrialCounts> natively(const NamedSet& set, int runs, bool all_or_nothing);
  // As many different schedules under control, until more than `misses_allowed` of them did not both hit all and fail.
  // There a postponed thread waits as long as its partners may still come and no real time passes, so what fails in all
  // of them does not depend on the machine or its load.
  Result<TrialCounts> in_schedules(const NamedSet& set, int schedules, int misses_allowed);
  // As many steps as the failing run has; what makes many more does not end.
  void set_length(std::uint64_t steps);
  int runs_made() const { return runs_made_; }

 private:
  bool fails(const run::Outcome& outcome) const;

  run::RunOptions native_, controlled_;
  const std::optional<format::OutcomeKind> wanted_;
  run::Runner& runner_;
  int runs_made_ = 0;
};

}  // namespace heddle::breakpoints
