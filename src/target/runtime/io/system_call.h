#pragma once
#include "runtime/os/raw_syscall.h"

namespace heddle::runtime {

// One system call of the program.
struct SystemCall {
  long number;
  long arguments[6];

  template <typename T>
  T argument(int index) const {
    return (T)arguments[index];  // integers of any width, and pointers
  }
};

// Performs the call in the kernel, unchanged.
inline long perform(const SystemCall& call) {
  const long* a = call.arguments;
  return heddle_raw_syscall(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // namespace heddle::runtime
