#include "run/verdict/predicate.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "run/process/child_process.h"

namespace heddle::run {
namespace {

constexpr int kTickMs = 50;  // between two checks of the stop token

void copy_from_start(int from, int to) {
  char buffer[1 << 16];
  off_t offset = 0;
  for (;;) {
    const ssize_t count = ::pread(from, buffer, sizeof buffer, offset);
    if (count <= 0) return;
    offset += count;
    for (ssize_t done = 0; done < count;) {
      const ssize_t written = ::write(to, buffer + done, static_cast<std::size_t>(count - done));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;
      done += written;
    }
  }
}

// Runs the --fails-if command on the output of a run: stdin is the stdout of the program, HEDDLE_STDERR the path of its
// stderr, HEDDLE_EXIT_STATUS its exit status as shells show it. True if the command exits with 0. A stop request ends
// the command.
Result<bool> predicate_holds(const RunOptions& options, int captured_stdout, int captured_stderr,
                             const Outcome& outcome) {
  const std::string& command = options.fails_if;
  ChildSpec spec;
  spec.program = "/bin/sh";
  spec.arguments = {"sh", "-c", command};
  spec.environment = own_environment();
  const int status = outcome.signal != 0 ? 128 + outcome.signal : outcome.exit_code;
  spec.environment.push_back("HEDDLE_EXIT_STATUS=" + std::to_string(status));
  spec.environment.push_back("HEDDLE_STDERR=/dev/fd/" + std::to_string(captured_stderr));
  spec.stdin_fd = captured_stdout;
  spec.stdout_fd = 2;
  spec.inherited_fds = {captured_stderr};
  spec.randomize_addresses = true;
  ::lseek(spec.stdin_fd, 0, SEEK_SET);
  Result<ChildProcess> child = ChildProcess::start(spec);
  if (!child) return child.error();
  const UniqueFd end(static_cast<int>(::syscall(SYS_pidfd_open, child->pid(), 0)));
  while (!child->poll()) {
    if (options.stop.stop_requested()) return false;
    pollfd query{end.get(), POLLIN, 0};
    ::poll(&query, 1, kTickMs);
  }
  const int wait_status = child->wait();
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) < 126) return WEXITSTATUS(wait_status) == 0;
  return Error{"the --fails-if command could not be run: " + command + "; test it in a shell"};
}

}  // namespace

Status apply_predicate(const RunOptions& options, int captured_stdout, int captured_stderr, Outcome& outcome) {
  const bool ended_by_itself = outcome.kind == format::OutcomeKind::Ok || outcome.kind == format::OutcomeKind::Exit;
  if (options.fails_if.empty() || !ended_by_itself) return ok_status();
  const Result<bool> holds = predicate_holds(options, captured_stdout, captured_stderr, outcome);
  if (!holds) return holds.error();
  if (*holds) {
    outcome.kind = format::OutcomeKind::Predicate;
    outcome.message = "--fails-if reports a failure: " + options.fails_if;
  }
  return ok_status();
}

bool is_predicate_stopped(const RunOptions& options) {
  return !options.fails_if.empty() && options.stop.stop_requested();
}

Result<Outcome> judge(const Execution& execution, const RunOptions& options) {
  Outcome outcome = classify(execution.wait_status, *execution.result, execution.timed_out, execution.interrupted);
  if (execution.ended_by_driver) {
    outcome = Outcome{};  // the run passed; the launcher killed the server after its client
  }
  if (!outcome.failed() && execution.driver_status != 0) {
    outcome.kind = format::OutcomeKind::Predicate;
    outcome.message = "the driver failed: " + options.driver;
  }
  if (execution.stall != StallWatchdog::Verdict::Moving) {
    const bool spins = execution.stall == StallWatchdog::Verdict::Spinning;
    outcome.kind = spins ? format::OutcomeKind::Livelock : format::OutcomeKind::Uncontrolled;
  }
  if (Status applied =
          apply_predicate(options, execution.captured_stdout.get(), execution.captured_stderr.get(), outcome);
      !applied)
    return applied.error();
  return outcome;
}

void forward_captured_output(const Execution& execution, Output output) {
  if (!execution.captured_stdout.valid() || output == Output::Discard) return;
  copy_from_start(execution.captured_stdout.get(), output == Output::ToStderr ? 2 : 1);
  copy_from_start(execution.captured_stderr.get(), 2);
}

}  // namespace heddle::run
