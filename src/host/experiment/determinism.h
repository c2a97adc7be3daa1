#pragma once
#include <optional>
#include <string>

#include "run/record/run_report.h"
#include "run/run_options.h"
#include "run/runner.h"
#include "support/result.h"
#include "trace/event.h"

namespace heddle::experiment {

// One side of the first difference between two runs.
struct DifferingEvent {
  std::string text;                        // the event, with its place; empty: the run ended before it
  std::string thread;                      // descent name
  std::string place;                       // "file:line:column function"; empty: unknown
  std::vector<binary::SourceFrame> stack;  // from a repetition that reached the same event; empty: none did
};

struct FirstDifference {
  trace::StepIndex step = 0;
  std::uint64_t point = 0;          // scheduling point of the first run at which its event arises; 0: it had ended
  std::vector<std::string> fields;  // differing fields, as in the text form of traces; "outcome": no event differs
  DifferingEvent first, second;
  std::vector<std::string> before;  // the last events that both runs share
};

struct DeterminismReport {
  run::RunReport first, second;
  std::optional<FirstDifference> difference;
  bool deterministic() const { return !difference.has_value(); }
};

// Runs the program twice with one seed and compares the two traces event by event.
Result<DeterminismReport> check_determinism(const run::RunOptions& options, run::Runner& runner);

}  // namespace heddle::experiment
