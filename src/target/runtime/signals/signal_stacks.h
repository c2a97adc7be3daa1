#pragma once
// Alternate signal stacks: one for each program thread.
#include <signal.h>

namespace heddle::runtime {

// Remembers the stack that the failure handlers run on: the kernel's whenever the program has set none.
void initialise_alternate_stacks();
// sigaltstack for the current thread: 0 or -errno.
long change_alternate_stack(const stack_t* stack, stack_t* old);

struct HandlerCall {
  void (*handler)(int, siginfo_t*, void*);
  int signal;
  siginfo_t* info;
  void* context;
};
// On the current thread's alternate stack, if it has one and is not on it already.
void call_on_alternate_stack(const HandlerCall& call);

}  // namespace heddle::runtime
