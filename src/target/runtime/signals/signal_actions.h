#pragma once
// Signal dispositions: the actions that the program sets, and those that the kernel has.
#include <signal.h>

#include <cstdint>

namespace heddle::runtime {

inline constexpr int kSignalMax = 64;
inline constexpr unsigned long kSaRestorer = 0x04000000;

// The argument of rt_sigaction.
struct KernelAction {
  void* handler;
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;
};

enum class Disposition : std::uint8_t {
  Ignored,
  Handled,
  Ends,   // terminates the process
  Stops,  // stops the process; left to the kernel
};

void set_kernel_action(int signal, const KernelAction& action);
void set_default_action(int signal);

// False in a native run and in a forked child: the program's calls pass to libc.
bool signals_kept();
// rt_sigaction. Returns 0 or -errno. Actions for SIGSYS and the watchdog's signal are stored but never installed.
long change_signal_action(int signal, const KernelAction* action, KernelAction* old);
Disposition disposition_of(int signal);

// True if the program has a handler for faults with SA_ONSTACK. For a thread without an alternate stack it runs on the
// thread's own stack, never on the stack that the runtime's failure handlers share.
bool faults_go_to_the_program();

// Routes signals that a thread blocks or waits for to the collector, so that the kernel does not act on them.
void collect_signals(std::uint64_t set);

// Kills the process by `signal`, so that its parent observes the same status as without Heddle.
[[noreturn]] void die_of_signal(int signal);
// Sets the explanation of the next death by SIGABRT. REQUIRES: `message` stays valid.
void explain_abort(bool assertion, const char* message);
// Lets the kernel perform the default action: the process stops or continues.
void pass_to_kernel(int signal);

// Calls the program's handler as a function, with its signal mask. `context` is nullptr if there is no kernel frame.
void call_handler(int signal, siginfo_t* info, void* context);

// Takes the next signal from outside. Returns false if none has arrived.
bool take_arrival(siginfo_t* info, bool* for_current_thread);

}  // namespace heddle::runtime
