#pragma once
// Signals under control. Each program thread has its own mask, pending set and alternate stack; a signal that one
// program thread sends to another is delivered by the scheduler, not by the kernel. The kernel's own mask stays empty
// on every kernel thread that runs program code: what arrives from outside goes to a collector, which hands it to a
// thread whose mask lets it in. docs/design/008_signals_and_time.md says why.
#include <signal.h>

#include <cstdint>

#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// Masks are 64-bit words as the kernel has them: bit n-1 is signal n.
inline constexpr std::uint64_t signal_bit(int signal) { return std::uint64_t{1} << (signal - 1); }

// The signal by which the host asks a stuck program where it is.
inline constexpr int kWatchdogSignal = 63;  // SIGRTMAX - 1

// From now on the program's masks and dispositions are kept here. REQUIRES: main is registered, the failure handlers
// are installed.
void initialise_signals();
// On a kernel thread of the thread engine, before it runs program code: lets every signal in.
void open_kernel_mask();
// In the child of the program's own fork: the kernel gets the program's dispositions and this thread's mask back.
void return_signals_to_kernel();

// rt_sigprocmask and rt_sigpending for the current thread: 0 or -errno. Unblocking delivers.
long change_signal_mask(int how, const std::uint64_t* set, std::uint64_t* old);
std::uint64_t pending_signals();

// pthread_kill and friends; a scheduling point. Wakes a thread in sigwait or in an interruptible wait. 0 or an errno
// value.
int send_signal(Thread* target, int signal, const siginfo_t* info);
// kill and friends: to the thread with the lowest id that waits for it, else that does not block it, else to whoever
// unblocks it first.
int send_signal_to_process(int signal, const siginfo_t* info);
// The same without a scheduling point: timers, and what comes from outside.
void queue_signal(Thread* target, const siginfo_t& info);  // nullptr: the process
// The thread that the program knows by `tid`; nullptr: none.
Thread* thread_of_tid(pid_t tid);
// It is ignored from now on: what is pending of it is gone.
void discard_signal(int signal);

// sigtimedwait: the signal, or -EAGAIN, -EINTR. `info` may be nullptr.
int wait_for_signal(std::uint64_t set, siginfo_t* info, std::uint64_t deadline_ns);
// sigsuspend and pause: come back after a handler has run.
void suspend_until_signal(std::uint64_t mask);

// An interrupted call is to be begun again: all handlers that ended the last wait of this thread had SA_RESTART.
inline bool restart_after_signal() { return current()->handlers_restart; }

// For the time of one call (ppoll, pselect, epoll_pwait). A null mask changes nothing. Handlers of signals that the new
// mask lets in run at once; then `interrupted`, and the call fails with EINTR.
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

// While one lives the kernel has the current thread's mask: around exec and posix_spawn, which hand it on.
class KernelMaskOfProgram {
 public:
  KernelMaskOfProgram();
  ~KernelMaskOfProgram();
  KernelMaskOfProgram(const KernelMaskOfProgram&) = delete;
  KernelMaskOfProgram& operator=(const KernelMaskOfProgram&) = delete;
};

// The kernel thread of all fibers has one alternate stack: it gets that of the fiber that takes the turn. Not before it
// has its own stack: the kernel refuses to change the one that is in use.
void change_kernel_alternate_stack();
inline void take_alternate_stack() {
  if (current()->alternate_stack != rt.signals.kernel_alternate_stack) [[unlikely]]
    change_kernel_alternate_stack();
}

// Runs the handlers of pending, unblocked signals of the current thread, on its own stack. Called when a thread takes
// the turn back and at the return of interrupted waits.
void run_pending_handlers();
inline bool signals_arrived() { return rt.signals.arrived.load(std::memory_order_relaxed) != rt.signals.accepted; }
// Pending for the current thread, and not blocked.
inline std::uint64_t deliverable_signals() {
  return (current()->signals_pending | rt.signals.process_pending) & ~current()->signal_mask;
}
inline void deliver_pending_signals() {
  take_alternate_stack();
  if (deliverable_signals() != 0 || signals_arrived()) [[unlikely]]
    run_pending_handlers();
}

// At a scheduling point: a timer is due, or something has come from outside. Both make the point a choice
// (hot.next_choice), whatever the strategy planned.
inline bool signals_need_attention() { return hot.progress->steps >= rt.signals.timer_step || signals_arrived(); }
void attend_to_signals();
// Hands what has come from outside to the threads that want it; may make some runnable. Call it when a wait in the
// kernel comes back.
void accept_outside_signals();

// Nobody can run. The deadline of the earliest timer whose signal would let a thread go on, or kNoDeadline.
std::uint64_t next_signal_timer();
void fire_signal_timers(std::uint64_t now);
// Nobody can run and no timer is left: a thread waits for a signal that a child process may send. Waits in the kernel;
// false when there is no child or nobody waits for a signal.
bool wait_for_signal_from_outside();

// A handler runs on the alternate stack of the current thread: the turn must not be given away. On the thread engine it
// could be, but then the two would not make the same run of one seed.
bool on_alternate_stack();

}  // namespace heddle::runtime
