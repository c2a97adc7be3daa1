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

// Executes programs under control and reports how they ended. Below all verbs, run_once() is the only place that starts
// a process and judges its outcome, except for fork servers (process/fork_server.h) and the monitor of programs in the
// field. The symbolizer is kept between runs, so that the debug information of a program is read once.
class Runner {
 public:
  // One execution with exactly these inputs. The options determine `inputs.config`, except for the flags, `fair_points`
  // and the freeze point of the caller. Fails if the program cannot be started or did not come under control; the
  // failure of a program is a report. `observer` receives the ring, unless the run is recorded to a file. `watcher` can
  // read the session, for example a graph, during the run and at its end.
  Result<RunReport> run_once(const RunOptions& options, SessionInputs inputs = {}, RingSink* observer = nullptr,
                             SessionWatcher* watcher = nullptr);

  // Like run_once(), but restarts a run that spins at disarmed sites, with the functions on that stack armed. Stores
  // the final armed set in `options`.
  Result<RunReport> run(RunOptions& options);

  binary::Symbolizer& symbolizer() { return symbolizer_; }
  // The result in the session of the last run: its modules locate sites and addresses.
  const format::SessionResult& last_result() const { return *last_result_; }

 private:
  void describe(RunReport& report, const format::SessionResult& result, const Outcome& outcome);
  bool arm_stack_functions(RunOptions& options, const RunReport& report);

  binary::Symbolizer symbolizer_;
  std::unique_ptr<format::SessionResult> last_result_;
  bool last_run_spun_ = false;
};

}  // namespace heddle::run
