#include "runtime/signals/signal_actions.h"

#include <errno.h>
#include <link.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/control/failure.h"
#include "runtime/io/processes/processes.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/choice.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signal_stacks.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {
namespace {

// glibc reserves these for cancellation and set*id.
constexpr int kLibcSignals[] = {32, 33};
constexpr std::uint64_t kFaults =
    signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGFPE) | signal_bit(SIGILL) | signal_bit(SIGTRAP);
// The signals blocked while the collector runs: all but the one by which system calls are caught.
constexpr std::uint64_t kCollectorMask = ~signal_bit(SIGSYS);

constexpr SignalState& state = rt.signals;

bool is_function(const void* handler) {
  return handler != reinterpret_cast<void*>(SIG_DFL) && handler != reinterpret_cast<void*>(SIG_IGN);
}

bool is_ours(int signal) { return signal == SIGSYS || signal == kWatchdogSignal; }

void store_arrival(const siginfo_t* info, bool for_current_thread) {
  std::uint64_t at = state.arrived.load(std::memory_order_relaxed);
  do {
    if (at - state.accepted >= SignalState::kArrivalsMax) return;  // the kernel drops signals of a full queue, too
  } while (!state.arrived.compare_exchange_weak(at, at + 1, std::memory_order_relaxed));
  ArrivedSignal& arrival = state.arrivals[at % SignalState::kArrivalsMax];
  arrival.for_current_thread = for_current_thread;
  __builtin_memcpy(&arrival.info, info, sizeof *info);
  arrival.filled.store(1, std::memory_order_release);
  choose_at_next_point();
}

// ---- A handler may run immediately only if it interrupts the program's own code. If it interrupted the runtime or
// libc, interposed calls of the handler would find the scheduler in an inconsistent state.

TextRange text_range(const dl_phdr_info* module) {
  TextRange range{~std::uintptr_t{0}, 0};
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = module->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
    if (begin < range.begin) range.begin = begin;
    if (begin + segment.p_memsz > range.end) range.end = begin + segment.p_memsz;
  }
  return range;
}

int note_closed_range(dl_phdr_info* module, std::size_t, void*) {
  const std::uintptr_t inside[] = {reinterpret_cast<std::uintptr_t>(&heddle_raw_syscall),
                                   reinterpret_cast<std::uintptr_t>(&dl_iterate_phdr),
                                   reinterpret_cast<std::uintptr_t>(_r_debug.r_ldbase)};
  const TextRange range = text_range(module);
  const bool closed = range.contains(inside[0]) || range.contains(inside[1]) || module->dlpi_addr == inside[2];
  if (closed && state.closed_range_count < SignalState::kClosedRangesMax)
    state.closed_ranges[state.closed_range_count++] = range;
  return 0;
}

bool interrupted_the_program(const ucontext_t* context) {
  if (!controlled()) return false;
  const auto pc = static_cast<std::uintptr_t>(context->uc_mcontext.gregs[REG_RIP]);
  for (std::size_t i = 0; i < state.closed_range_count; ++i)
    if (state.closed_ranges[i].contains(pc)) return false;
  return true;
}

// ---- The collector: the kernel calls it for every signal that the program catches, blocks or waits for.

bool blocked_by_current(int signal) { return (hot.current->signal_mask & signal_bit(signal)) != 0; }

// Replaces the process number of the sender or child by the virtual one. REQUIRES: the signal is being delivered: a
// child may send a signal before fork has returned in the parent, so the number may be unknown earlier.
void translate_process(siginfo_t* info) {
  if (info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL || info->si_signo == SIGCHLD)
    info->si_pid = virtual_pid(info->si_pid);
}

void run_handler_in_frame(int signal, siginfo_t* info, ucontext_t* context) {
  set_kernel_mask(0);
  translate_process(info);
  call_handler(signal, info, context);
}

// A fault in the program's code, or in the runtime: the program's handler gets both.
void on_fault(int signal, siginfo_t* info, ucontext_t* context) {
  if (is_function(state.wanted[signal].handler) && !blocked_by_current(signal)) {
    run_handler_in_frame(signal, info, context);
    return;
  }
  if (is_function(state.original[signal].handler))
    reinterpret_cast<void (*)(int, siginfo_t*, void*)>(state.original[signal].handler)(signal, info, context);
  else
    set_default_action(signal);  // the fault occurs again when this returns
}

void on_kernel_signal(int signal, siginfo_t* info, void* frame) {
  auto* context = static_cast<ucontext_t*>(frame);
  const int saved_errno = errno;
  if (info->si_code > 0 && (kFaults & signal_bit(signal)) != 0) {
    on_fault(signal, info, context);
  } else if (!blocked_by_current(signal) && disposition_of(signal) == Disposition::Ends) {
    set_default_action(signal);
    set_kernel_mask(0);
    raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), signal);
  } else if (interrupted_the_program(context) && !blocked_by_current(signal) &&
             disposition_of(signal) == Disposition::Handled && (state.wanted[signal].flags & SA_ONSTACK) == 0) {
    run_handler_in_frame(signal, info, context);
  } else {
    // SIGPIPE is for the thread that wrote; all other signals of the kernel are for the process.
    store_arrival(info, signal == SIGPIPE && info->si_pid == process_id());
  }
  errno = saved_errno;
}

// Installs the action that the program has set, without the collector.
void install_unchanged(int signal) {
  const KernelAction& action = state.wanted[signal];
  set_kernel_action(signal, {action.handler, action.flags | kSaRestorer, heddle_signal_restorer, action.mask});
}

void install(int signal) {
  if (!state.kept || is_ours(signal)) return;
  const KernelAction& action = state.wanted[signal];
  const bool ignored = action.handler == reinterpret_cast<void*>(SIG_IGN);
  if (is_function(action.handler) || (state.collected & signal_bit(signal)) != 0) {
    unsigned long flags = SA_SIGINFO | SA_RESTART | kSaRestorer;
    flags |= action.flags & (SA_ONSTACK | SA_NOCLDSTOP | SA_NOCLDWAIT);
    if ((kFaults & signal_bit(signal)) != 0 && !is_function(action.handler)) flags |= SA_ONSTACK;
    if (ignored && signal == SIGCHLD) flags |= SA_NOCLDWAIT;
    set_kernel_action(signal,
                      {reinterpret_cast<void*>(&on_kernel_signal), flags, heddle_signal_restorer, kCollectorMask});
  } else if (!ignored && is_function(state.original[signal].handler)) {
    set_kernel_action(signal, state.original[signal]);
  } else {
    install_unchanged(signal);  // the default action obeys SA_NOCLDWAIT, too
  }
}

// SA_RESETHAND.
void reset_action(int signal) {
  state.wanted[signal].handler = reinterpret_cast<void*>(SIG_DFL);
  state.wanted[signal].flags &= ~static_cast<unsigned long>(SA_SIGINFO);
  install(signal);
}

}  // namespace

void set_kernel_action(int signal, const KernelAction& action) {
  raw_syscall(SYS_rt_sigaction, signal, &action, nullptr, sizeof action.mask);
}

void set_default_action(int signal) {
  set_kernel_action(signal, {reinterpret_cast<void*>(SIG_DFL), kSaRestorer, heddle_signal_restorer, 0});
}

void initialise_signals() {
  for (int signal = 1; signal <= kSignalMax; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP) continue;
    raw_syscall(SYS_rt_sigaction, signal, nullptr, &state.original[signal], sizeof state.original[signal].mask);
    if (state.original[signal].handler == reinterpret_cast<void*>(SIG_IGN)) {
      state.wanted[signal].handler = state.original[signal].handler;
      state.original[signal] = {};
    }
  }
  {
    Uncontrolled libc;
    dl_iterate_phdr(note_closed_range, nullptr);
  }
  initialise_alternate_stacks();
  state.timer_step = ~std::uint64_t{0};
  find_due_step();
  state.kept = true;
  collect_signals(current()->signal_mask);
  set_kernel_mask(0);
}

void set_kernel_mask(std::uint64_t mask) { raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof mask); }

void return_signals_to_kernel() {
  if (!state.kept) return;
  state.kept = false;
  for (int signal = 1; signal <= kSignalMax; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP || is_ours(signal)) continue;
    const bool collected = is_function(state.wanted[signal].handler) || (state.collected & signal_bit(signal)) != 0;
    if (collected || is_function(state.original[signal].handler)) install_unchanged(signal);
  }
  set_kernel_mask(current()->signal_mask);
}

bool signals_kept() { return state.kept; }

long change_signal_action(int signal, const KernelAction* action, KernelAction* old) {
  if (signal < 1 || signal > kSignalMax) return -EINVAL;
  if (action != nullptr && (signal == SIGKILL || signal == SIGSTOP)) return -EINVAL;
  for (const int libc_signal : kLibcSignals)
    if (signal == libc_signal) return -EINVAL;
  const KernelAction previous = state.wanted[signal];
  if (action != nullptr) {
    state.wanted[signal] = *action;
    state.wanted[signal].mask &= ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP));
    install(signal);
    if (state.kept && (kFaults & signal_bit(signal)) != 0) change_kernel_alternate_stack();
    if (state.kept && disposition_of(signal) == Disposition::Ignored) discard_signal(signal);
  }
  if (old != nullptr) *old = previous;
  return 0;
}

bool faults_go_to_the_program() {
  for (int signal = 1; signal < kSignalMax; ++signal)
    if ((kFaults & signal_bit(signal)) != 0 && is_function(state.wanted[signal].handler) &&
        (state.wanted[signal].flags & SA_ONSTACK) != 0)
      return true;
  return false;
}

Disposition disposition_of(int signal) {
  if (is_function(state.wanted[signal].handler)) return Disposition::Handled;
  if (state.wanted[signal].handler == reinterpret_cast<void*>(SIG_IGN)) return Disposition::Ignored;
  switch (signal) {
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
    case SIGCONT:
      return Disposition::Ignored;
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
      return Disposition::Stops;
    default:
      return Disposition::Ends;
  }
}

void collect_signals(std::uint64_t set) {
  const std::uint64_t added = set & ~state.collected & ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP));
  if (added == 0) return;
  state.collected |= added;
  for (int signal = 1; signal <= kSignalMax; ++signal)
    if ((added & signal_bit(signal)) != 0 && signal != kLibcSignals[0] && signal != kLibcSignals[1]) install(signal);
}

void explain_abort(bool assertion, const char* message) { state.abort_explanation = {message, assertion}; }

void die_of_signal(int signal) {
  session()->result.signal = signal;
  if (signal == SIGABRT) {
    const AbortExplanation why =
        state.abort_explanation.message == nullptr ? AbortExplanation{"", false} : state.abort_explanation;
    describe_failure(why.assertion ? format::OutcomeKind::Assert : format::OutcomeKind::Abort, why.message);
  } else {
    describe_failure(format::OutcomeKind::Signal, "");
  }
  set_default_action(signal);
  set_kernel_mask(0);
  for (;;) raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), signal);
}

void pass_to_kernel(int signal) {
  set_default_action(signal);
  raw_syscall(SYS_kill, raw_syscall(SYS_getpid), signal);
  install(signal);
}

void call_handler(int signal, siginfo_t* info, void* context) {
  Thread* self = current();
  const KernelAction action = state.wanted[signal];
  if ((action.flags & SA_RESETHAND) != 0) reset_action(signal);
  note(EventKind::SignalReceived, nullptr, static_cast<std::uint64_t>(signal));
  if ((action.flags & SA_RESTART) == 0) self->handlers_restart = false;

  ucontext_t made_up;
  auto* frame = static_cast<ucontext_t*>(context);
  if (frame == nullptr) {
    __builtin_memset(static_cast<void*>(&made_up), 0, sizeof made_up);
    frame = &made_up;
  }
  // The handler may set the signal mask that applies after its return, by writing to the context.
  auto* mask_after = reinterpret_cast<std::uint64_t*>(&frame->uc_sigmask);
  *mask_after = self->signal_mask;
  self->signal_mask |= action.mask | ((action.flags & SA_NODEFER) != 0 ? 0 : signal_bit(signal));
  const int saved_errno = errno;
  const HandlerCall call{reinterpret_cast<void (*)(int, siginfo_t*, void*)>(action.handler), signal, info, frame};
  if (context == nullptr && (action.flags & SA_ONSTACK) != 0)
    call_on_alternate_stack(call);
  else
    call.handler(call.signal, call.info, call.context);
  errno = saved_errno;
  current()->signal_mask = *mask_after & ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP));
  *mask_after = 0;  // the kernel restores its mask from this frame
}

bool take_arrival(siginfo_t* info, bool* for_current_thread) {
  if (!signals_arrived()) return false;
  ArrivedSignal& arrival = state.arrivals[state.accepted % SignalState::kArrivalsMax];
  if (arrival.filled.load(std::memory_order_acquire) == 0) return false;  // its writer has not finished
  __builtin_memcpy(info, &arrival.info, sizeof *info);
  translate_process(info);
  *for_current_thread = arrival.for_current_thread;
  arrival.filled.store(0, std::memory_order_relaxed);
  ++state.accepted;
  return true;
}

}  // namespace heddle::runtime
