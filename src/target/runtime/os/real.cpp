#include "runtime/os/real.h"

#include <dlfcn.h>
#include <sys/syscall.h>

#include "runtime/control/failure.h"
#include "runtime/os/raw_syscall.h"

extern "C" {
extern heddle::runtime::RealFunction __start_heddle_real[] __attribute__((visibility("hidden")));
extern heddle::runtime::RealFunction __stop_heddle_real[] __attribute__((visibility("hidden")));
}

namespace heddle::runtime {

namespace {

void* look_up(const char* name, const char* version) {
  return version == nullptr ? dlsym(RTLD_NEXT, name) : dlvsym(RTLD_NEXT, name, version);
}

}  // namespace

void* find_real(const char* name, const char* version) {
  void* function = look_up(name, version);
  if (function == nullptr) {
    say("heddle: this libc lacks ");
    say(name);
    say("; Heddle supports glibc 2.36 and later\n");
    raw_syscall(SYS_exit_group, 3);
  }
  return function;
}

void resolve_real_functions() {
  for (RealFunction* function = __start_heddle_real; function != __stop_heddle_real; ++function)
    // What is not there is not called either: functions of the C++ library in a C program.
    if (function->address == nullptr) function->address = look_up(function->name, function->version);
  dlerror();  // the program's own first call must not answer with what we did not find
}

}  // namespace heddle::runtime
