#include "runtime/os/dispatch.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/control/sanitizers.h"
#include "runtime/engine/engine.h"
#include "runtime/io/controlled_syscall.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signal_actions.h"

namespace heddle::runtime {
namespace {

#ifndef PR_SET_SYSCALL_USER_DISPATCH
constexpr long PR_SET_SYSCALL_USER_DISPATCH = 59;
constexpr long PR_SYS_DISPATCH_ON = 1;
#endif
constexpr int kCaught = 2;  // si_code SYS_USER_DISPATCH

// The byte that the kernel reads at each system call.
enum Selector : std::uint8_t { kAllow = 0, kCatch = 1 };

std::uint8_t& selector_of(Thread* thread) {
  return engine_is_fiber() || thread == nullptr ? rt.engine.fiber_selector : thread->dispatch_selector;
}

// Runs on the stack of the thread that made the system call, because it may block there.
void on_caught_system_call(int signal, siginfo_t* info, void* frame) {
  auto* context = static_cast<ucontext_t*>(frame);
  greg_t* registers = context->uc_mcontext.gregs;
  if (info->si_code != kCaught) {
    // A SIGSYS by kill() or by a seccomp filter gets its default action.
    set_default_action(signal);
    raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), signal);
    return;
  }
  const long number = registers[REG_RAX];
  const long a = registers[REG_RDI], b = registers[REG_RSI], c = registers[REG_RDX];
  const long d = registers[REG_R10], e = registers[REG_R8], f = registers[REG_R9];
  // libc's trampoline returns from a handler; the stack pointer points to the handler's frame.
  if (number == SYS_rt_sigreturn) heddle_return_from_signal(reinterpret_cast<void*>(registers[REG_RSP]));
  if (controlled() && is_sanitizer_write(registers[REG_RIP], number)) {
    registers[REG_RAX] = write_for_sanitizer(a, reinterpret_cast<const char*>(b), static_cast<std::size_t>(c));
    return;
  }
  registers[REG_RAX] =
      controlled() ? controlled_syscall(number, a, b, c, d, e, f) : heddle_raw_syscall(number, a, b, c, d, e, f);
  // In a forked child the program's signal mask is installed again, but the frame still holds the runtime's.
  if (!signals_kept()) raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &context->uc_sigmask, sizeof(std::uint64_t));
}

bool arm(std::uint8_t* selector) {
  return raw_syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, heddle_syscall_text_begin,
                     heddle_syscall_text_end - heddle_syscall_text_begin, selector) == 0;
}

}  // namespace

void arm_syscall_dispatch(Thread* thread) {
  set_kernel_action(SIGSYS, {reinterpret_cast<void*>(&on_caught_system_call), SA_SIGINFO | SA_NODEFER | kSaRestorer,
                             heddle_signal_restorer, 0});
  std::uint8_t& selector = selector_of(thread);
  rt.engine.catches_system_calls = arm(&selector);
  selector = rt.engine.catches_system_calls ? kCatch : kAllow;
}

void rearm_syscall_dispatch() {
  if (rt.engine.catches_system_calls) rt.engine.catches_system_calls = arm(&selector_of(hot.current));
}

void forget_syscall_dispatch() {
  rt.engine.catches_system_calls = false;
  selector_of(hot.current) = kAllow;
}

SavedControl leave_control() {
  const SavedControl saved{hot.thread_pointer, hot.compact, selector_of(hot.current)};
  selector_of(hot.current) = kAllow;
  hot.thread_pointer = 0;
  hot.compact = 0;
  return saved;
}

void return_to_control(const SavedControl& saved) {
  hot.thread_pointer = saved.thread_pointer;
  hot.compact = saved.compact;
  selector_of(hot.current) = saved.selector;
}

}  // namespace heddle::runtime
