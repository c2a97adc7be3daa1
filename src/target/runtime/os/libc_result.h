#pragma once
#include <errno.h>

namespace heddle::runtime {

// Converts a result of the kernel, -errno for an error, to -1 and errno.
inline long libc_result(long result) {
  if (result >= 0 || result <= -4096) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace heddle::runtime
