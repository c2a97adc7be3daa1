// Opening /dev/random and /dev/urandom.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

#include "runtime/os/real.h"
#include "runtime/interpose/machine/random_source.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/os/libc_result.h"

namespace heddle::runtime {
namespace {

bool wanted(const char* path) { return controlled() && is_random_device(path); }

FILE* open_stream() {
  const int descriptor = libc_result(open_random_device(O_CLOEXEC));
  if (descriptor < 0) return nullptr;
  Uncontrolled libc;
  return fdopen(descriptor, "r");
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

// Whatever mode there is is passed on: present only if a file may be created, harmless else.
#define HEDDLE_OPEN(name, parameters, ...)                            \
  HEDDLE_INTERPOSE int name(parameters const char* path, int flags, ...) { \
    if (wanted(path)) return libc_result(open_random_device(flags));  \
    va_list list;                                                     \
    va_start(list, flags);                                            \
    const int mode = va_arg(list, int);                               \
    va_end(list);                                                     \
    return HEDDLE_REAL(name)(__VA_ARGS__);                            \
  }
#define HEDDLE_DIRECTORY int directory,
HEDDLE_OPEN(open, , path, flags, mode)
HEDDLE_OPEN(open64, , path, flags, mode)
HEDDLE_OPEN(openat, HEDDLE_DIRECTORY, directory, path, flags, mode)
HEDDLE_OPEN(openat64, HEDDLE_DIRECTORY, directory, path, flags, mode)

HEDDLE_INTERPOSE FILE* fopen(const char* __restrict path, const char* __restrict mode) {
  return wanted(path) ? open_stream() : HEDDLE_REAL(fopen)(path, mode);
}

HEDDLE_INTERPOSE FILE* fopen64(const char* __restrict path, const char* __restrict mode) {
  return wanted(path) ? open_stream() : HEDDLE_REAL(fopen64)(path, mode);
}
