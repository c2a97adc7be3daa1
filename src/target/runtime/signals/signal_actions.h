#pragma once
// What the program wants to happen at each signal, and what the kernel is told.
#include <signal.h>

#include <cstdint>

namespace heddle::runtime {

inline constexpr int kSignalMax = 64;
inline constexpr unsigned long kSaRestorer = 0x04000000;

// As rt_sigaction has it.
struct KernelAction {
  void* handler;
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;
};

enum class Disposition : std::uint8_t {
  Ignored,
  Handled,
  Ends,   // the process
  Stops,  // the process; the kernel's business
};

// What the kernel does at `signal` from now on.
void set_kernel_action(int signal, const KernelAction& action);
void set_default_action(int signal);

// False: the program's calls go to libc: a native run, a forked child.
bool signals_kept();
// rt_sigaction: 0 or -errno. SIGSYS and the watchdog's signal are remembered and never installed.
long change_signal_action(int signal, const KernelAction* action, KernelAction* old);
Disposition disposition_of(int signal);

// The program has a handler for faults that asks for the alternate stack. Where a thread has none it runs on the
// thread's own stack, never on the one that our failure handlers share.
bool faults_go_to_the_program();

// Some thread blocks these, or waits for them: the kernel must not act on them by itself.
void collect_signals(std::uint64_t set);

// The process dies of `signal`, really, so that whoever waits for it sees what it would have seen.
[[noreturn]] void die_of_signal(int signal);
// What the next death by SIGABRT means. `message` must stay.
void explain_abort(bool assertion, const char* message);
// The process stops, or goes on.
void pass_to_kernel(int signal);

// Calls the program's handler as a function, with its mask in force. `context` is nullptr when no kernel frame is
// below.
void call_handler(int signal, siginfo_t* info, void* context);

// The next signal that came from outside since the last call. False: none.
bool take_arrival(siginfo_t* info, bool* for_current_thread);

}  // namespace heddle::runtime
