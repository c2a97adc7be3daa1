#pragma once
#include <string>
#include <vector>

#include "clip/clip.h"
#include "run/process/session_memory.h"
#include "run/record/run_report.h"
#include "run/run_options.h"
#include "run/runner.h"
#include "support/result.h"

namespace heddle::run {

// The clip of the run that these options produced, without the source lines of its switches.
clip::Clip build_clip(const RunOptions& options, const RunReport& report);

// Adds the source line of each switch from the run with RunOptions::annotate that the clip was built from, the last run
// of `runner`.
void describe_switches(clip::Clip& clip, const RunReport& report, Runner& runner);

// Replays the clip once, exactly, and adds the source line of each switch. Returns one line for the user if that
// failed; then the clip replays on the same build only.
std::vector<std::string> annotate_clip(clip::Clip& clip, const RunOptions& options, Runner& runner);

// The session inputs of an exact replay; the options of the clip come from options_of().
Result<SessionInputs> replay_inputs(const clip::Clip& clip);

// The options that the clip was made with. The caller adds output, time-outs and recording.
Result<RunOptions> options_of(const clip::Clip& clip);

// Sets the threads and iterations that the run skips.
Status omit(const clip::Omitted& omitted, SessionInputs& inputs);

// Hash of a descent name such as "0.2.1"; fails if `name` is not one.
Result<std::uint64_t> parse_descent(const std::string& name);

}  // namespace heddle::run
