#pragma once
// System calls of the runtime. They are made from one section of text that Syscall User Dispatch exempts, so every
// other system call is one of the program. Errors are returned as -errno; errno does not change.
#include <cstdint>

extern "C" {
long heddle_raw_syscall(long number, long a, long b, long c, long d, long e, long f);
// The return trampoline of the runtime's signal handlers, in the exempt section too.
void heddle_signal_restorer();
// Returns from the signal handler whose frame is at `stack_pointer`.
[[noreturn]] void heddle_return_from_signal(void* stack_pointer);
extern char heddle_syscall_text_begin[];
extern char heddle_syscall_text_end[];
}

namespace heddle::runtime {

template <typename... Arguments>
inline long raw_syscall(long number, Arguments... arguments) {
  static_assert(sizeof...(arguments) <= 6);
  long words[6] = {(long)(arguments)...};
  return heddle_raw_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

}  // namespace heddle::runtime
