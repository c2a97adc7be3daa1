#include "runtime/os/real.h"

#include <dlfcn.h>
#include <sys/syscall.h>

#include "runtime/failure.h"
#include "runtime/os/raw_syscall.h"

namespace heddle::runtime {

void* find_real_or_null(const char* name, const char* version) {
  return version == nullptr ? dlsym(RTLD_NEXT, name) : dlvsym(RTLD_NEXT, name, version);
}

void* find_real(const char* name, const char* version) {
  void* function = find_real_or_null(name, version);
  if (function == nullptr) {
    say("heddle: this libc lacks ");
    say(name);
    say("; Heddle supports glibc 2.36 and later\n");
    raw_syscall(SYS_exit_group, 3);
  }
  return function;
}

}  // namespace heddle::runtime
