#include "runtime/signals/signal_timers.h"

#include "runtime/runtime.h"
#include "runtime/schedule/choice.h"
#include "runtime/schedule/clock.h"
#include "runtime/signals/signal_actions.h"

namespace heddle::runtime {
namespace {

constexpr GrowingArray<SignalTimer*>& timers = rt.signals.timers;

SignalTimer* earliest_timer() {
  SignalTimer* earliest = nullptr;
  for (SignalTimer* timer : timers)
    if (timer->deadline_ns != kNoDeadline && (earliest == nullptr || timer->deadline_ns < earliest->deadline_ns))
      earliest = timer;
  return earliest;
}

// True if a thread could continue or the process would end if `timer` fired now.
bool would_help(const SignalTimer* timer) {
  const int signal = timer->info.si_signo;
  if (timer->deadline_ns == kNoDeadline || signal == 0) return false;
  const Disposition disposition = disposition_of(signal);
  for (const Thread* thread : rt.scheduler.live_threads) {
    if (timer->target != kNoThread && timer->target != thread->id) continue;
    if ((thread->signals_awaited & signal_bit(signal)) != 0) return true;
    if ((thread->signal_mask & signal_bit(signal)) != 0) continue;
    if (disposition == Disposition::Ends) return true;
    // The first thread that does not block the signal receives it.
    return disposition == Disposition::Handled && thread->wait.interruptible;
  }
  return false;
}

void fire(SignalTimer* timer, std::uint64_t now) {
  int missed = 0;
  if (timer->interval_ns == 0) {
    timer->deadline_ns = kNoDeadline;
  } else {
    const std::uint64_t late = (now - timer->deadline_ns) / timer->interval_ns;
    timer->deadline_ns += (late + 1) * timer->interval_ns;
    missed = static_cast<int>(late);
  }
  if (timer->info.si_signo == 0) return;
  siginfo_t info;
  __builtin_memcpy(&info, &timer->info, sizeof info);
  if (info.si_code == SI_TIMER) {
    if (add_to_pending_overrun(info, missed + 1)) {
      timer->overrun += missed + 1;
      return;
    }
    timer->overrun = missed;
    info.si_overrun = missed;
  }
  Thread* target = timer->target == kNoThread ? nullptr : thread_by_id(timer->target);
  if (target == nullptr && timer->target != kNoThread) return;  // its thread has exited
  queue_signal(target, info);
}

}  // namespace

SignalTimer* make_signal_timer() {
  SignalTimer* timer = nullptr;
  for (SignalTimer* old : timers)
    if (timer == nullptr && !old->in_use) timer = old;
  if (timer == nullptr) {
    timer = static_cast<SignalTimer*>(arena_allocate(sizeof(SignalTimer)));
    timer->ordinal = static_cast<std::uint32_t>(timers.size());
    timers.push_back(timer);
  }
  const std::uint32_t ordinal = timer->ordinal;
  __builtin_memset(static_cast<void*>(timer), 0, sizeof *timer);
  timer->ordinal = ordinal;
  timer->deadline_ns = kNoDeadline;
  timer->target = kNoThread;
  timer->in_use = true;
  return timer;
}

void release_signal_timer(SignalTimer* timer) {
  timer->deadline_ns = kNoDeadline;
  timer->in_use = false;
  next_signal_timer_step();
}

void arm_signal_timer(SignalTimer* timer, std::uint64_t deadline_ns, std::uint64_t interval_ns) {
  timer->deadline_ns = deadline_ns;
  timer->interval_ns = interval_ns;
  timer->overrun = 0;
  next_signal_timer_step();
}

std::uint64_t remaining_ns(const SignalTimer* timer) {
  if (timer->deadline_ns == kNoDeadline) return 0;
  const std::uint64_t now = clock_now();
  return timer->deadline_ns > now ? timer->deadline_ns - now : 1;
}

std::uint64_t next_signal_timer_step() {
  const SignalTimer* earliest = earliest_timer();
  if (earliest == nullptr) {
    rt.signals.timer_step = ~std::uint64_t{0};
    find_due_step();
    return rt.signals.timer_step;
  }
  const std::uint64_t now = clock_now();
  const std::uint64_t wait = earliest->deadline_ns > now ? earliest->deadline_ns - now : 0;
  rt.signals.timer_step = hot.progress->steps + (wait + kStepNs - 1) / kStepNs;
  find_due_step();
  if (rt.signals.timer_step < hot.next_choice) set_choice_step(rt.signals.timer_step);
  return rt.signals.timer_step;
}

std::uint64_t next_signal_timer() {
  std::uint64_t deadline = kNoDeadline;
  for (const SignalTimer* timer : timers)
    if (timer->deadline_ns < deadline && would_help(timer)) deadline = timer->deadline_ns;
  return deadline;
}

void fire_signal_timers(std::uint64_t now) {
  for (SignalTimer* timer = earliest_timer(); timer != nullptr && timer->deadline_ns <= now; timer = earliest_timer())
    fire(timer, now);
  next_signal_timer_step();
}

}  // namespace heddle::runtime
