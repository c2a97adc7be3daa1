// Sends signals: through the scheduler to a thread of this program or to this process, through the kernel to others.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "runtime/io/processes/processes.h"
#include "runtime/os/libc_result.h"
#include "runtime/os/real.h"
#include "runtime/record/session.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {
namespace {

siginfo_t describe(int signal, int code) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = code;
  info.si_pid = getpid();
  info.si_uid = getuid();
  return info;
}

siginfo_t describe(int signal, const sigval& value) {
  siginfo_t info = describe(signal, SI_QUEUE);
  info.si_value = value;
  return info;
}

// Accepts the virtual number and the kernel's.
bool is_this_process(pid_t pid) { return pid == getpid() || pid == process_id(); }

int send_to_handle(pthread_t handle, int signal, const siginfo_t& info) {
  Thread* thread = find_thread(handle);
  return thread == nullptr ? ESRCH : send_signal(thread, signal, info);
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSED(int, pthread_kill, (pthread_t handle, int signal) noexcept, (handle, signal),
                  send_to_handle(handle, signal, describe(signal, SI_TKILL)))
HEDDLE_INTERPOSED(int, pthread_sigqueue, (pthread_t handle, int signal, const union sigval value) noexcept,
                  (handle, signal, value), send_to_handle(handle, signal, describe(signal, value)))

HEDDLE_INTERPOSED(int, raise, (int signal) noexcept, (signal),
                  libc_result(-send_signal(current(), signal, describe(signal, SI_TKILL))))
HEDDLE_INTERPOSE int gsignal(int signal) noexcept { return raise(signal); }

HEDDLE_INTERPOSE int kill(pid_t pid, int signal) noexcept {
  if (!controlled() || !is_this_process(pid)) return HEDDLE_REAL(kill)(real_pid(pid), signal);
  return libc_result(-send_signal_to_process(signal, describe(signal, SI_USER)));
}

HEDDLE_INTERPOSE int tgkill(pid_t pid, pid_t tid, int signal) {
  if (!controlled() || !is_this_process(pid)) return HEDDLE_REAL(tgkill)(real_pid(pid), tid, signal);
  Thread* thread = thread_of_tid(tid);
  if (thread == nullptr) return libc_result(-ESRCH);
  return libc_result(-send_signal(thread, signal, describe(signal, SI_TKILL)));
}

HEDDLE_INTERPOSE int sigqueue(pid_t pid, int signal, const union sigval value) noexcept {
  if (!controlled() || !is_this_process(pid)) return HEDDLE_REAL(sigqueue)(real_pid(pid), signal, value);
  return libc_result(-send_signal_to_process(signal, describe(signal, value)));
}
