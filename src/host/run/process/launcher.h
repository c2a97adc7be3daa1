#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "binary/program_file.h"
#include "format/run_config.h"
#include "format/run_result.h"
#include "run/process/child_process.h"
#include "run/process/ring_sink.h"
#include "run/process/session_memory.h"
#include "run/process/stall_watchdog.h"
#include "run/run_options.h"
#include "support/result.h"
#include "support/unique_fd.h"

namespace heddle::run {

// Reads the session while a program runs, and after its end.
class SessionWatcher {
 public:
  virtual ~SessionWatcher() = default;
  // Called every few milliseconds.
  virtual void look(const SessionMemory& memory) = 0;
  // Called once, after the program has ended in any way.
  virtual void end(const SessionMemory& memory) = 0;
};

// Payload of the watchdog's signal (SIGRTMAX - 1): why the runtime must record the stack of the running thread.
enum class WatchdogReason : int { Spinning = 1, Sleeping = 2, TimeOut = 3 };

// Time for the runtime to record that stack.
inline constexpr std::chrono::milliseconds kStackTime{1'000};

// The raw result of one process; judge() turns it into an outcome.
struct Execution {
  int wait_status = 0;
  double seconds = 0;
  bool attached = false;
  bool timed_out = false;
  bool interrupted = false;
  bool ended_by_driver = false;  // the launcher killed the server after its client had exited
  int driver_status = 0;         // wait status of the client
  StallWatchdog::Verdict stall = StallWatchdog::Verdict::Moving;  // why the watchdog ended it
  format::SessionProgress progress{};
  std::unique_ptr<format::SessionResult> result;
  Decisions decisions;
  UniqueFd captured_stdout;  // with RunOptions::fails_if
  UniqueFd captured_stderr;
  std::vector<std::string> problems;
};

// The error for a program that ended without attaching to its session.
Error not_instrumented(const std::string& program);

// The configuration of the session for these options.
format::SessionConfig session_config(const RunOptions& options);

// Copies the fields that determine the schedule from `config` to `options`.
void set_schedule(RunOptions& options, const format::SessionConfig& config);

// A program that was started on a session, and the files of its output with RunOptions::fails_if.
struct StartedProgram {
  ChildProcess child;
  UniqueFd captured_stdout;
  UniqueFd captured_stderr;
};

// REQUIRES: an InterruptGuard exists.
Result<StartedProgram> start_program(const binary::ProgramFile& program, const RunOptions& options,
                                     const SessionMemory& memory);

// Starts the program on a session with these inputs, drains its ring until it ends, and terminates its processes. Fails
// only if the program could not be started.
Result<Execution> launch(const binary::ProgramFile& program, const RunOptions& options, const SessionInputs& inputs,
                         RingSink* sink, SessionWatcher* watcher = nullptr);

}  // namespace heddle::run
