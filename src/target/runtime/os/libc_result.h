#pragma once
#include <errno.h>

namespace heddle::runtime {

// From -errno, as the kernel says it, to -1 and errno.
inline long libc_result(long result) {
  if (result >= 0 || result <= -4096) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace heddle::runtime
