#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clip/clip.h"
#include "clip/source_units.h"
#include "run/record/run_report.h"
#include "run/run_options.h"
#include "run/runner.h"
#include "support/result.h"

namespace heddle::run {

enum class Verdict {
  Reproduced,
  Fixed,      // replay by site: all preemptions happened and the program passed
  NoVerdict,  // a preemption did not happen, the failure is another one, or the run diverged
};
const char* verdict_word(Verdict verdict);

// Overrides of the options in the clip.
struct ReplayOptions {
  int times = 1;
  std::optional<format::EngineKind> engine;
  std::string program;                 // empty: the clip's
  std::vector<std::string> arguments;  // with `program`
  std::string record_path;             // of the first run
  bool record_values = false;
  bool record_flow = false;
  bool preload = false;
  bool keep_aslr = false;
  Output output = Output::PassThrough;
  std::optional<std::chrono::milliseconds> timeout;
  std::optional<std::uint64_t> steps_max;
  StopToken stop;
  std::string fails_if;
  std::optional<std::string> stdin_file;
  std::map<std::string, std::string> environment;  // added to the clip's
  std::optional<std::string> working_directory;
};

struct ReplayReport {
  Verdict verdict = Verdict::NoVerdict;
  bool exact = false;  // same build: every step was compared
  int runs = 0;
  int reproduced_runs = 0;
  std::uint32_t preemptions_met = 0;
  std::uint32_t preemptions_total = 0;
  std::uint64_t event_hash = 0;
  RunReport last;                     // the first run that did not reproduce, otherwise the last one
  clip::SourceUnits units;            // of the program
  std::vector<std::string> problems;  // one line each, for the user
};

// The options of the clip with the overrides of the caller. Fails if the program does not exist.
Result<RunOptions> replay_options(const clip::Clip& clip, const ReplayOptions& options);

// True if the program and every instrumented library are the builds that the clip was made with.
bool same_build(const clip::Clip& clip, const RunOptions& options);

// The session inputs of a replay by site; also translates the armed sites in `options` to this build.
Result<SessionInputs> site_replay_inputs(const clip::Clip& clip, RunOptions& options);

Result<ReplayReport> replay(const clip::Clip& clip, const ReplayOptions& options, Runner& runner);

}  // namespace heddle::run
