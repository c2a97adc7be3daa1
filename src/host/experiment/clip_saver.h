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

// Repeats the run in a process of its own and writes its clip. An interrupt does not stop it. Fails if the run does not
// end with `expected`.
Result<SavedClip> save_clip(run::Runner& runner, const run::RunOptions& options, const run::SessionInputs& inputs,
                            format::OutcomeKind expected, const std::string& path);
// Writes the clip of a run that already has its report.
Result<SavedClip> save_clip(run::Runner& runner, const run::RunOptions& options, run::RunReport report,
                            const std::string& path);

}  // namespace heddle::experiment
