#pragma once
// Concurrent breakpoints without changes to the source. HEDDLE_BREAKPOINTS=FILE names a file
// (docs/breakpoints_format.md) that maps accesses and calls to the places of breakpoints. include/heddle/breakpoint.h
// implements the breakpoints, in native and in controlled runs.
#include <cstdint>

#include "runtime/runtime.h"

struct HeddleSite;

namespace heddle::runtime {

// Reads the file; ends the process if it cannot be used.
void begin_injection();
bool is_injected(std::uint64_t site_name);
// True if there are places at calls. Their addresses are those of the functions' versions with hooks, so these versions
// must run.
bool injects_calls();

__attribute__((preserve_most)) void inject_before_access(const HeddleSite* site);
void inject_before_call();
// `locks`: the number of locks that the call has taken, negative if it has released them.
void inject_after_call(int locks);

// Ends the open guards of the current thread, which exits under control.
void end_injected_guards();

// Encloses the operation of an interposed function.
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
