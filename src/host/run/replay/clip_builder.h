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

// The clip of a run that was just made with these options, without its switches.
clip::Clip build_clip(const RunOptions& options, const RunReport& report);

// Runs the clip once more, exactly, to learn where in the source each switch happened, and fills them in. Returns what
// the user should know when that did not work: the clip then stays without switches and replays only on the same build.
std::vector<std::string> annotate_clip(clip::Clip& clip, const RunOptions& options, Runner& runner);

// What an exact replay needs, besides the options of the clip.
Result<SessionInputs> replay_inputs(const clip::Clip& clip);

// The options that a clip was made with. Output, time-outs and recording are the caller's.
Result<RunOptions> options_of(const clip::Clip& clip);

// Threads, by descent name, that are not to be started.
Status omit(const clip::Omitted& omitted, SessionInputs& inputs);

// Hash of "0.2.1"; fails on what is no descent name.
Result<std::uint64_t> parse_descent(const std::string& name);

}  // namespace heddle::run
