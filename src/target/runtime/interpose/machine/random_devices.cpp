// Opening /dev/random and /dev/urandom.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

#include "runtime/os/real.h"
#include "runtime/interpose/machine/random_source.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signal_sets.h"

namespace heddle::runtime {
namespace {

// Whatever mode there is: present only if a file may be created, harmless else.
#define HEDDLE_MODE(last)               \
  va_list list;                         \
  va_start(list, last);                 \
  const int mode = va_arg(list, int);   \
  va_end(list)

bool wanted(const char* path) { return controlled() && is_random_device(path); }

FILE* open_stream() {
  const int descriptor = fail_with(open_random_device(O_CLOEXEC));
  if (descriptor < 0) return nullptr;
  Uncontrolled libc;
  return fdopen(descriptor, "r");
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_INTERPOSE int open(const char* path, int flags, ...) {
  if (wanted(path)) return fail_with(open_random_device(flags));
  HEDDLE_MODE(flags);
  return HEDDLE_REAL(open)(path, flags, mode);
}

HEDDLE_INTERPOSE int open64(const char* path, int flags, ...) {
  if (wanted(path)) return fail_with(open_random_device(flags));
  HEDDLE_MODE(flags);
  return HEDDLE_REAL(open64)(path, flags, mode);
}

HEDDLE_INTERPOSE int openat(int directory, const char* path, int flags, ...) {
  if (wanted(path)) return fail_with(open_random_device(flags));
  HEDDLE_MODE(flags);
  return HEDDLE_REAL(openat)(directory, path, flags, mode);
}

HEDDLE_INTERPOSE int openat64(int directory, const char* path, int flags, ...) {
  if (wanted(path)) return fail_with(open_random_device(flags));
  HEDDLE_MODE(flags);
  return HEDDLE_REAL(openat64)(directory, path, flags, mode);
}

HEDDLE_INTERPOSE FILE* fopen(const char* __restrict path, const char* __restrict mode) {
  return wanted(path) ? open_stream() : HEDDLE_REAL(fopen)(path, mode);
}

HEDDLE_INTERPOSE FILE* fopen64(const char* __restrict path, const char* __restrict mode) {
  return wanted(path) ? open_stream() : HEDDLE_REAL(fopen64)(path, mode);
}
