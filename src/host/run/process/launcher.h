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

// Whoever wants to look at the session while a program runs, and when it has ended.
class SessionWatcher {
 public:
  virtual ~SessionWatcher() = default;
  // Every few milliseconds.
  virtual void look(const SessionMemory& memory) = 0;
  // Once, when the program has ended, however that was.
  virtual void end(const SessionMemory& memory) = 0;
};

// Travels with the watchdog's signal (SIGRTMAX - 1): why the runtime is asked for the stack of the running thread.
enum class WatchdogReason : int { Spinning = 1, Sleeping = 2, TimeOut = 3 };

// For the runtime to write down that stack.
inline constexpr std::chrono::milliseconds kLastWordsTime{1'000};

// What one process did, before anybody interprets it.
struct Execution {
  int wait_status = 0;
  double seconds = 0;
  bool attached = false;
  bool timed_out = false;
  bool interrupted = false;
  bool ended_by_driver = false;  // the client has exited, and the program was ended with it
  int driver_status = 0;         // wait status of the client
  StallWatchdog::Verdict stall = StallWatchdog::Verdict::Moving;  // ended because of one
  format::SessionProgress progress{};
  std::unique_ptr<format::SessionResult> result;
  Decisions decisions;
  UniqueFd captured_stdout;  // with RunOptions::fails_if
  UniqueFd captured_stderr;
  std::vector<std::string> problems;
};

// How the options look from inside the program.
format::SessionConfig session_config(const RunOptions& options);

// The part that says who runs when, the other way round.
void set_schedule(RunOptions& options, const format::SessionConfig& config);

// A program that was started on a session, and where its output goes with RunOptions::fails_if.
struct StartedProgram {
  ChildProcess child;
  UniqueFd captured_stdout;
  UniqueFd captured_stderr;
};

// REQUIRES: an InterruptGuard lives.
Result<StartedProgram> start_program(const binary::ProgramFile& program, const RunOptions& options,
                                     const SessionMemory& memory);

// Starts the program on a session with these inputs, drains its ring until it ends, and kills whatever it leaves behind
// when time is up. Fails only when the program could not be started.
Result<Execution> launch(const binary::ProgramFile& program, const RunOptions& options, const SessionInputs& inputs,
                         RingSink* sink, SessionWatcher* watcher = nullptr);

}  // namespace heddle::run
