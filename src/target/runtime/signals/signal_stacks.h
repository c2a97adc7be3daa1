#pragma once
// Alternate signal stacks. Each program thread may have one.
#include <signal.h>

namespace heddle::runtime {

// Saves the kernel's alternate stack, on which the failure handlers run if the program sets none.
void initialise_alternate_stacks();
// sigaltstack for the current thread. Returns 0 or -errno.
long change_alternate_stack(const stack_t* stack, stack_t* old);

struct HandlerCall {
  void (*handler)(int, siginfo_t*, void*);
  int signal;
  siginfo_t* info;
  void* context;
};
// Runs the handler on the current thread's alternate stack, if the thread has one and is not on it.
void call_on_alternate_stack(const HandlerCall& call);

}  // namespace heddle::runtime
