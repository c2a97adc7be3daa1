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

// Repeats the run in a process of its own and writes its clip. The end of the time does not stop it, and an interrupt a
// moment later (StopToken::for_saving). Fails if the run does not end with `expected`. A run that ran out of time, or
// that is saved after the end of the time, is repeated once; others twice, to verify that the clip replays.
Result<SavedClip> save_clip(run::Runner& runner, const run::RunOptions& options, const run::SessionInputs& inputs,
                            format::OutcomeKind expected, const std::string& path);
// Writes the clip of a run that already has its report. With RunOptions::annotate it is not repeated.
Result<SavedClip> save_clip(run::Runner& runner, const run::RunOptions& options, run::RunReport report,
                            const std::string& path);

}  // namespace heddle::experiment
