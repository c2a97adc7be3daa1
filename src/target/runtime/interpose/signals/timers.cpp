// Timers that send signals: alarm, setitimer, timer_create. All run on the virtual clock. A timer of CPU time
// (ITIMER_PROF, ITIMER_VIRTUAL) therefore also advances while all threads sleep.
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "runtime/control/failure.h"
#include "runtime/os/libc_result.h"
#include "runtime/os/real.h"
#include "runtime/runtime.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signal_actions.h"
#include "runtime/signals/signal_timers.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kMicrosecondNs = 1000;

// ---- Interval timers: the process has one of each kind.

constexpr int kIntervalSignals[] = {SIGALRM, SIGVTALRM, SIGPROF};
static_assert(ITIMER_REAL == 0 && ITIMER_VIRTUAL == 1 && ITIMER_PROF == 2);

SignalTimer* interval_timer(int which) {
  SignalTimer*& timer = rt.interpose.interval_timers[which];
  if (timer == nullptr) {
    timer = make_signal_timer();
    timer->info.si_signo = kIntervalSignals[which];
    timer->info.si_code = SI_KERNEL;
  }
  return timer;
}

// Returns the remaining time of the previous setting.
std::uint64_t set_interval_timer(int which, std::uint64_t value_ns, std::uint64_t interval_ns) {
  SignalTimer* timer = interval_timer(which);
  const std::uint64_t left = remaining_ns(timer);
  arm_signal_timer(timer, value_ns == 0 ? kNoDeadline : clock_now() + value_ns, interval_ns);
  return left;
}

bool valid(const timeval& time) { return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1'000'000; }
bool valid(const timespec& time) {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < static_cast<long>(kSecondNs);
}

// An armed timer must not show zero, which would mean that it is not armed.
timeval shown(std::uint64_t left_ns) {
  return to_timeval(left_ns != 0 && left_ns < kMicrosecondNs ? kMicrosecondNs : left_ns);
}

// ---- POSIX timers. The handle is the address of the record.

SignalTimer* from_handle(timer_t handle) { return static_cast<SignalTimer*>(handle); }

void show(const SignalTimer* timer, itimerspec* setting) {
  setting->it_value = to_timespec(remaining_ns(timer));
  setting->it_interval = to_timespec(timer->interval_ns);
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE unsigned alarm(unsigned seconds) noexcept {
  if (!controlled()) return HEDDLE_REAL(alarm)(seconds);
  const std::uint64_t left = set_interval_timer(ITIMER_REAL, std::uint64_t{seconds} * kSecondNs, 0);
  return static_cast<unsigned>((left + kSecondNs - 1) / kSecondNs);
}

HEDDLE_INTERPOSE useconds_t ualarm(useconds_t value, useconds_t interval) noexcept {
  if (!controlled()) return HEDDLE_REAL(ualarm)(value, interval);
  const std::uint64_t left = set_interval_timer(ITIMER_REAL, value * kMicrosecondNs, interval * kMicrosecondNs);
  return static_cast<useconds_t>((left + kMicrosecondNs - 1) / kMicrosecondNs);
}

HEDDLE_INTERPOSE int setitimer(__itimer_which_t which, const itimerval* setting, itimerval* old) noexcept {
  if (!controlled()) return HEDDLE_REAL(setitimer)(which, setting, old);
  const int index = static_cast<int>(which);
  if (index < ITIMER_REAL || index > ITIMER_PROF) return libc_result(-EINVAL);
  if (setting != nullptr && (!valid(setting->it_value) || !valid(setting->it_interval))) return libc_result(-EINVAL);
  const std::uint64_t interval_before = interval_timer(index)->interval_ns;
  const std::uint64_t left = setting == nullptr
                                 ? set_interval_timer(index, 0, 0)
                                 : set_interval_timer(index, to_ns(setting->it_value), to_ns(setting->it_interval));
  if (old != nullptr) *old = {to_timeval(interval_before), shown(left)};
  return 0;
}

HEDDLE_INTERPOSE int getitimer(__itimer_which_t which, itimerval* setting) noexcept {
  if (!controlled()) return HEDDLE_REAL(getitimer)(which, setting);
  const int index = static_cast<int>(which);
  if (index < ITIMER_REAL || index > ITIMER_PROF) return libc_result(-EINVAL);
  const SignalTimer* timer = interval_timer(index);
  *setting = {to_timeval(timer->interval_ns), shown(remaining_ns(timer))};
  return 0;
}

HEDDLE_INTERPOSE int timer_create(clockid_t clock, sigevent* event, timer_t* handle) noexcept {
  if (!controlled()) return HEDDLE_REAL(timer_create)(clock, event, handle);
  if (!is_virtual_clock(clock) && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID)
    return libc_result(-EINVAL);
  const int notify = event == nullptr ? SIGEV_SIGNAL : event->sigev_notify;
  // The callbacks would run on an internal thread of libc.
  if (notify == SIGEV_THREAD) fail_uncontrolled("timer_create(SIGEV_THREAD)");
  if (notify != SIGEV_SIGNAL && notify != SIGEV_NONE && notify != SIGEV_THREAD_ID) return libc_result(-EINVAL);
  const int signal = event == nullptr ? SIGALRM : event->sigev_signo;
  if (notify != SIGEV_NONE && (signal < 1 || signal > kSignalMax)) return libc_result(-EINVAL);

  heddle::ThreadId target = heddle::kNoThread;
  if (notify == SIGEV_THREAD_ID) {
    Thread* thread = thread_of_tid(event->_sigev_un._tid);
    if (thread == nullptr) return libc_result(-EINVAL);
    target = thread->id;
  }
  SignalTimer* timer = make_signal_timer();
  timer->clock = clock;
  timer->target = target;
  timer->info.si_signo = notify == SIGEV_NONE ? 0 : signal;
  timer->info.si_code = SI_TIMER;
  timer->info.si_timerid = static_cast<int>(timer->ordinal);
  if (event == nullptr)
    timer->info.si_value.sival_ptr = timer;
  else
    timer->info.si_value = event->sigev_value;
  *handle = timer;
  return 0;
}

HEDDLE_INTERPOSE int timer_settime(timer_t handle, int flags, const itimerspec* setting, itimerspec* old) noexcept {
  if (!controlled()) return HEDDLE_REAL(timer_settime)(handle, flags, setting, old);
  SignalTimer* timer = from_handle(handle);
  if (!valid(setting->it_value) || !valid(setting->it_interval)) return libc_result(-EINVAL);
  if (old != nullptr) show(timer, old);
  std::uint64_t deadline = kNoDeadline;
  if (to_ns(setting->it_value) != 0)
    deadline = (flags & TIMER_ABSTIME) != 0 && is_virtual_clock(timer->clock)
                   ? absolute_deadline(timer->clock, &setting->it_value)
                   : relative_deadline(&setting->it_value);
  arm_signal_timer(timer, deadline, to_ns(setting->it_interval));
  return 0;
}

HEDDLE_INTERPOSE int timer_gettime(timer_t handle, itimerspec* setting) noexcept {
  if (!controlled()) return HEDDLE_REAL(timer_gettime)(handle, setting);
  show(from_handle(handle), setting);
  return 0;
}

HEDDLE_INTERPOSED(int, timer_getoverrun, (timer_t handle) noexcept, (handle), from_handle(handle)->overrun)

HEDDLE_INTERPOSE int timer_delete(timer_t handle) noexcept {
  if (!controlled()) return HEDDLE_REAL(timer_delete)(handle);
  release_signal_timer(from_handle(handle));
  return 0;
}
