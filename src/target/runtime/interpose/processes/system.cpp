// system(): runs a shell and waits for it in the scheduler. libc's system() waits in the kernel and changes signal
// dispositions by internal calls that cannot be interposed.
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/interpose/threads/cancellation.h"
#include "runtime/os/real.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

constexpr InterposeState& state = rt.interpose;

void ignore_terminal_signals() {
  if (state.commands_running++ != 0) return;
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &state.interrupt_before);
  sigaction(SIGQUIT, &ignore, &state.quit_before);
}

void restore_terminal_signals() {
  if (--state.commands_running != 0) return;
  sigaction(SIGINT, &state.interrupt_before, nullptr);
  sigaction(SIGQUIT, &state.quit_before, nullptr);
}

// The command starts with the caller's signal mask and with the saved dispositions of SIGINT and SIGQUIT.
int start_shell(const char* command, const sigset_t& mask, pid_t* child) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  if (state.interrupt_before.sa_handler != SIG_IGN) sigaddset(&defaults, SIGINT);
  if (state.quit_before.sa_handler != SIG_IGN) sigaddset(&defaults, SIGQUIT);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const char* arguments[] = {"sh", "-c", "--", command, nullptr};
  const int error = posix_spawn(child, "/bin/sh", nullptr, &attributes, const_cast<char* const*>(arguments), environ);
  posix_spawnattr_destroy(&attributes);
  return error;
}

struct RunningCommand {
  pid_t child;
  sigset_t mask_before;
};

void end_command(const RunningCommand& command) {
  restore_terminal_signals();
  pthread_sigmask(SIG_SETMASK, &command.mask_before, nullptr);
}

// Cleanup of a thread that is cancelled while it waits: the command must not outlive the call.
void abandon_command(void* argument) {
  const auto* command = static_cast<const RunningCommand*>(argument);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
  kill(command->child, SIGKILL);
  waitpid(command->child, nullptr, 0);
  end_command(*command);
}

int wait_for_command(RunningCommand& command) {
  int status = -1;
  pthread_cleanup_push(abandon_command, &command);
  while (waitpid(command.child, &status, 0) < 0 && errno == EINTR) {
  }
  pthread_cleanup_pop(0);
  return status;
}

int run_command(const char* text) {
  RunningCommand command{};
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  ignore_terminal_signals();
  pthread_sigmask(SIG_BLOCK, &child_signal, &command.mask_before);
  // POSIX: if the shell cannot start, the status is 127.
  int status = 127 << 8;
  if (start_shell(text, command.mask_before, &command.child) == 0) status = wait_for_command(command);
  const int error = errno;
  end_command(command);
  errno = error;
  return status;
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE int system(const char* command) {
  if (!controlled()) return HEDDLE_REAL(system)(command);
  test_cancellation();
  return command == nullptr ? run_command("exit 0") == 0 : run_command(command);
}
