#pragma once
// Signals under control. Each program thread has its own mask, pending set and alternate stack, stored in Thread; the
// scheduler, not the kernel, delivers signals between threads of the program. The kernel's mask stays empty on every
// kernel thread that runs program code: signals from outside reach a collector, which stores them, and the thread that
// has the turn passes them to a thread that does not block them. A handler runs when its thread has the turn, at a
// scheduling point or at the end of an interrupted wait, so that it runs at the same step in every run of one schedule.
// INVARIANT: `arrived - accepted` signals are stored and belong to no thread yet. docs/design/008_signals_and_time.md
// gives the reasons.
#include <signal.h>

#include <cstdint>

#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// Signal sets are 64-bit words as in the kernel: bit n-1 is signal n. libc's sets have 1024 bits.
inline constexpr std::uint64_t signal_bit(int signal) { return std::uint64_t{1} << (signal - 1); }

inline std::uint64_t to_word(const sigset_t& set) {
  std::uint64_t word;
  __builtin_memcpy(&word, &set, sizeof word);
  return word;
}

inline sigset_t to_set(std::uint64_t word) {
  sigset_t set{};
  __builtin_memcpy(&set, &word, sizeof word);
  return set;
}

// The signal by which the host requests the position of a stuck program.
inline constexpr int kWatchdogSignal = 63;  // SIGRTMAX - 1

// Takes over the program's masks and dispositions. REQUIRES: main is registered, the failure handlers are installed.
void initialise_signals();
// Sets the mask of the calling kernel thread. It must be 0 before the thread runs program code.
void set_kernel_mask(std::uint64_t mask);
// Runs in the child of the program's own fork: gives the program's dispositions and this thread's mask to the kernel.
void return_signals_to_kernel();

// rt_sigprocmask and rt_sigpending for the current thread. Returns 0 or -errno. Unblocking delivers pending signals.
long change_signal_mask(int how, const std::uint64_t* set, std::uint64_t* old);
std::uint64_t pending_signals();

// pthread_kill and its family; a scheduling point. Ends an interruptible wait of the thread and a wait for the signal.
// Returns 0 or an errno value.
int send_signal(Thread* target, int signal, const siginfo_t& info);
// kill and its family. The receiver is the thread with the lowest id that waits for the signal, otherwise that does not
// block it, otherwise the first thread that unblocks it.
int send_signal_to_process(int signal, const siginfo_t& info);
// The same without a scheduling point, for timers and for signals from outside.
void queue_signal(Thread* target, const siginfo_t& info);  // nullptr: the process
// The thread with this virtual or kernel number; nullptr: none.
Thread* thread_of_tid(pid_t tid);
// Removes the pending instances of a signal that the program now ignores.
void discard_signal(int signal);

// sigtimedwait. Returns the signal, -EAGAIN or -EINTR. `info` may be nullptr.
int wait_for_signal(std::uint64_t set, siginfo_t* info, std::uint64_t deadline_ns);
// sigsuspend and pause. Returns -EINTR after a handler has run.
long suspend_until_signal(std::uint64_t mask);

// True if an interrupted call must restart: all handlers that ended the last wait of this thread had SA_RESTART.
inline bool restart_after_signal() { return current()->handlers_restart; }

// Changes the mask during one call (ppoll, pselect, epoll_pwait). A null mask changes nothing. Handlers of signals that
// the new mask unblocks run immediately; then interrupted() is true and the call must fail with EINTR.
class TemporarySignalMask {
 public:
  explicit TemporarySignalMask(const sigset_t* mask);
  ~TemporarySignalMask();
  TemporarySignalMask(const TemporarySignalMask&) = delete;
  TemporarySignalMask& operator=(const TemporarySignalMask&) = delete;
  bool interrupted() const { return interrupted_; }

 private:
  std::uint64_t saved_ = 0;
  bool changed_ = false;
  bool interrupted_ = false;
};

// During its lifetime the kernel has the current thread's mask, which a process created by exec or posix_spawn
// inherits.
class KernelMaskOfProgram {
 public:
  KernelMaskOfProgram() { set_kernel_mask(current()->signal_mask); }
  ~KernelMaskOfProgram() { set_kernel_mask(0); }
  KernelMaskOfProgram(const KernelMaskOfProgram&) = delete;
  KernelMaskOfProgram& operator=(const KernelMaskOfProgram&) = delete;
};

// Sets the one alternate stack of the kernel thread of all fibers to that of the fiber that takes the turn. REQUIRES:
// the fiber runs on its own stack, because the kernel refuses to replace an alternate stack that is in use.
void change_kernel_alternate_stack();
inline void take_alternate_stack() {
  if (current()->alternate_stack != rt.signals.kernel_alternate_stack) [[unlikely]]
    change_kernel_alternate_stack();
}

// Runs the handlers of pending, unblocked signals of the current thread, on its own stack. Must be called when a thread
// takes the turn back and at the end of an interrupted wait.
void run_pending_handlers();
inline bool signals_arrived() { return rt.signals.arrived.load(std::memory_order_relaxed) != rt.signals.accepted; }
// The signals that are pending for the current thread and not blocked.
inline std::uint64_t deliverable_signals() {
  return (current()->signals_pending | rt.signals.process_pending) & ~current()->signal_mask;
}
inline void deliver_pending_signals() {
  take_alternate_stack();
  if (deliverable_signals() != 0 || signals_arrived()) [[unlikely]]
    run_pending_handlers();
}

// True at a scheduling point if a timer is due or a signal has arrived from outside. Both make the point a choice
// (hot.next_choice), regardless of the strategy's plan.
inline bool signals_need_attention() { return hot.progress->steps >= rt.signals.timer_step || signals_arrived(); }
void attend_to_signals();
// Passes signals from outside to their receivers, which may make threads runnable. Must be called after a wait in the
// kernel.
void accept_outside_signals();

// The deadline of the earliest timer whose signal lets a thread continue, or kNoDeadline. For use when no thread can
// run.
std::uint64_t next_signal_timer();
void fire_signal_timers(std::uint64_t now);
// Waits in the kernel for a signal from a child process. Returns true if a thread can run, and false if there is no
// child or no thread waits for a signal. REQUIRES: no thread can run and no timer is armed.
bool wait_for_signal_from_outside();

// True while a handler runs on the alternate stack of the current thread, which must then keep the turn. The thread
// engine could switch there, but then the engines would make different runs from one seed.
bool on_alternate_stack();

}  // namespace heddle::runtime
