#include "runtime/os/real.h"

#include <dlfcn.h>

#include "runtime/control/failure.h"

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

[[gnu::noinline, gnu::cold]] void* find_real(const char* name, const char* version) {
  void* function = look_up(name, version);
  if (function == nullptr) refuse("this libc lacks ", name, "; Heddle supports glibc 2.36 and later");
  return function;
}

void resolve_real_functions() {
  for (RealFunction* function = __start_heddle_real; function != __stop_heddle_real; ++function)
    // A missing function is not called: functions of the C++ library in a C program.
    if (function->address == nullptr) function->address = look_up(function->name, function->version);
  dlerror();  // clears the error of a failed lookup, which the program's first call would return
}

}  // namespace heddle::runtime
