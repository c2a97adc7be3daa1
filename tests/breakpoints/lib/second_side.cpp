// The other side, in C++, in another shared library, where everything else is hidden.
#include <heddle/breakpoint.h>

extern "C" __attribute__((visibility("default"))) bool second_side(int* value, int* seen) {
  const heddle::BreakpointGuard guard =
      heddle::Breakpoint("mixed").nth(1, 2).conflict(value).timeout_ms(20'000).guard();
  *seen = *value;
  return guard.hit();
}

extern "C" __attribute__((visibility("default"))) bool held_in_library(const char* type) {
  return heddle_lock_type_is_held(type) != 0;
}
