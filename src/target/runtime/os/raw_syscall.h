#pragma once
// System calls of the runtime itself. They are issued from one small stretch of text that Syscall User Dispatch
// exempts, so a system call from anywhere else is known not to be ours. Errors come back as -errno; errno is not
// touched.
#include <cstdint>

extern "C" {
long heddle_raw_syscall(long number, long a, long b, long c, long d, long e, long f);
// The return trampoline for signal handlers that the runtime installs; in the exempt stretch too.
void heddle_signal_restorer();
// Makes `stack_pointer` the signal frame to return through. Does not come back.
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
