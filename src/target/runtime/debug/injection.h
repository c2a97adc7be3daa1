#pragma once
// Concurrent breakpoints without touching the source: HEDDLE_BREAKPOINTS=FILE names a file (docs/breakpoints_format.md)
// that says before which accesses and calls a thread comes to a place of which breakpoint. What the breakpoints do is
// include/heddle/breakpoint.h's business, natively and under control.
#include <cstdint>

#include "runtime/runtime.h"

struct HeddleSite;

namespace heddle::runtime {

// Reads the file; ends the process with one line when it cannot be used.
void begin_injection();
bool is_injected(std::uint64_t site_name);
// Places at calls are known by addresses, which are those of the versions with hooks.
bool injects_calls();

__attribute__((preserve_most)) void inject_before_access(const HeddleSite* site);
void inject_before_call();
// `locks`: how many locks the thread has more than before the call.
void inject_after_call(int locks);

// A thread under control ends: so do the guards that it has open.
void end_injected_guards();

// Around what an interposed function does.
class InjectedCall {
 public:
  explicit InjectedCall(int locks = 0) : locks_(locks) {
    if (rt.debug.injecting) [[unlikely]]
      inject_before_call();
  }
  ~InjectedCall() {
    if (rt.debug.injecting) [[unlikely]]
      inject_after_call(locks_);
  }
  InjectedCall(const InjectedCall&) = delete;
  InjectedCall& operator=(const InjectedCall&) = delete;

 private:
  const int locks_;
};

}  // namespace heddle::runtime
