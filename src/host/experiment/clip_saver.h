#pragma once
#include <string>
#include <vector>

#include "run/process/session_memory.h"
#include "run/record/run_report.h"
#include "run/run_options.h"
#include "run/runner.h"
#include "support/result.h"

namespace heddle::experiment {

struct SavedClip {
  run::RunReport report;
  std::string path;
  std::vector<std::string> problems;
};

// Makes the run of these options and inputs once more, in a process of its own, and keeps it as a clip. Not cut short
// by an interrupt. Fails when the run does not end with `expected`.
Result<SavedClip> save_clip(run::Runner& runner, const run::RunOptions& options, const run::SessionInputs& inputs,
                            format::OutcomeKind expected, const std::string& path);
// The same for a run of which everything is known.
Result<SavedClip> save_clip(run::Runner& runner, const run::RunOptions& options, run::RunReport report,
                            const std::string& path);

}  // namespace heddle::experiment
