#pragma once
#include <memory>

#include "binary/program_file.h"
#include "binary/symbolizer.h"
#include "run/process/launcher.h"
#include "run/process/session_memory.h"
#include "run/record/run_report.h"
#include "run/run_options.h"
#include "support/result.h"

namespace heddle::run {

// Executes programs under control and says what they did. Keeps the debug information that it has read, so that many
// runs of one program cost the reading once.
class Runner {
 public:
  // One execution with exactly these inputs. `inputs.config` is filled from the options; of the caller's only the
  // flags, `fair_points` and the freeze point remain. Fails when the program cannot be started or never came under
  // control; a failing program is a report. `observer` gets the ring of a run that is not recorded: the schedule, and
  // what the flags add. With slots for pairs or a graph in `inputs`, `watcher` can read them when the run has ended.
  Result<RunReport> run_once(const RunOptions& options, SessionInputs inputs = {}, RingSink* observer = nullptr,
                             SessionWatcher* watcher = nullptr);

  // As run_once(), but a run that spins at sites which are not armed is ended and started again with those armed. The
  // armed set that the run ended with is left in `options`.
  Result<RunReport> run(RunOptions& options);

  binary::Symbolizer& symbolizer() { return symbolizer_; }
  // The session's own words about the last run: modules, for looking up sites and addresses.
  const format::SessionResult& last_result() const { return *last_result_; }

 private:
  void describe(RunReport& report, const format::SessionResult& result, const Outcome& outcome);
  bool arm_stack_functions(RunOptions& options, const RunReport& report);

  binary::Symbolizer symbolizer_;
  std::unique_ptr<format::SessionResult> last_result_;
  bool last_run_spun_ = false;
};

}  // namespace heddle::run
