#pragma once
// Whether a set of breakpoints makes a program fail when it runs natively.
#include <chrono>
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

class NativeTrials {
 public:
  // `options` are those of a controlled run. `wanted`: how that one failed; without it every failure counts.
  NativeTrials(const run::RunOptions& options, std::optional<format::OutcomeKind> wanted, run::Runner& runner);

  // Native runs with these breakpoints. With `all_or_nothing` it stops at the first that does not both hit all of them and
  // fail.
  Result<TrialCounts> count(const NamedSet& set, int runs, bool all_or_nothing);
  int runs_made() const { return runs_made_; }

 private:
  bool fails(const run::Outcome& outcome) const;

  run::RunOptions options_;
  const std::optional<format::OutcomeKind> wanted_;
  run::Runner& runner_;
  int runs_made_ = 0;
};

}  // namespace heddle::breakpoints
