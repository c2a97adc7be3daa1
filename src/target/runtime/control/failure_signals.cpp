// Signals that end a program, and the watchdog signal, which the host sends to a program that makes no progress.
#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/control/failure.h"
#include "runtime/control/sanitizers.h"
#include "runtime/engine/engine.h"
#include "runtime/io/external.h"
#include "runtime/memory/arena.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/record/session.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signal_actions.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {
namespace {

using format::OutcomeKind;

constexpr int kDeadlySignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
constexpr std::size_t kAlternateStackSize = 128 * 1024;

void install(int signal, void (*handler)(int, siginfo_t*, void*), unsigned long flags) {
  set_kernel_action(signal,
                    {reinterpret_cast<void*>(handler), flags | SA_SIGINFO | kSaRestorer, heddle_signal_restorer, 0});
}

void on_deadly_signal(int signal, siginfo_t* info, void*) {
  set_default_action(signal);
  session()->result.signal = signal;
  if (signal != SIGABRT) session()->result.fault_address = reinterpret_cast<std::uint64_t>(info->si_addr);
  describe_failure(signal == SIGABRT ? OutcomeKind::Abort : OutcomeKind::Signal, "");
  // A fault repeats immediately, now with the default action. A signal that was sent must be sent again.
  if (info->si_code <= 0) raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), signal);
}

// True if the signal interrupted the program right after a system call instruction: it was blocked in the kernel, which
// the scheduler cannot observe.
bool was_in_system_call(const ucontext_t* context) {
  const auto* pc = reinterpret_cast<const std::uint8_t*>(context->uc_mcontext.gregs[REG_RIP]);
  return pc[-2] == 0x0f && pc[-1] == 0x05;
}

void on_watchdog(int, siginfo_t*, void* context) {
  if (waiting_in_kernel() || sanitizer_reports()) return;  // an external wait makes no step
  if (was_in_system_call(static_cast<const ucontext_t*>(context)))
    fail(OutcomeKind::Uncontrolled,
         engine_is_fiber() ? "a system call blocks the program outside of Heddle's control; try --engine=thread"
                           : "a system call blocks the program outside of Heddle's control; keep it out of the run");
  fail(OutcomeKind::Livelock, "no scheduling point was reached: the program spins or computes at disarmed sites");
}

}  // namespace

void give_alternate_stack() {
  stack_t stack{};
  stack.ss_sp = arena_map(kAlternateStackSize);
  stack.ss_size = kAlternateStackSize;
  raw_syscall(SYS_sigaltstack, &stack, nullptr);
}

void install_failure_handlers() {
  give_alternate_stack();
  for (const int signal : kDeadlySignals) install(signal, on_deadly_signal, SA_ONSTACK | SA_NODEFER);
  install(kWatchdogSignal, on_watchdog, SA_ONSTACK);
}

void load_unwinder() {
  Uncontrolled libc;
  void* frames[2];
  backtrace(frames, 2);
}

}  // namespace heddle::runtime
