#pragma once
// Concurrent breakpoints without touching the source: HEDDLE_BREAKPOINTS=FILE names a file (docs/breakpoints_format.md)
// that says before which accesses and calls a thread comes to a place of which breakpoint. For native runs: what the
// breakpoints do is include/heddle/breakpoint.h's business.
#include <cstdint>

struct HeddleSite;

namespace heddle::runtime {

// There is such a file. Set once, before the program has threads.
extern bool injecting;

// Reads the file; ends the process with one line when it cannot be used.
void begin_injection();
// A module has been loaded: calls in it may be places.
void find_injected_calls();
bool is_injected(std::uint64_t site_name);
// Places at calls are known by addresses, which are those of the versions with hooks.
bool injects_calls();

__attribute__((preserve_most)) void inject_before_access(const HeddleSite* site);
void inject_before_call();
void inject_after_call();

// Around what an interposed function does when it leaves the program alone.
class NativeCall {
 public:
  NativeCall() {
    if (injecting) [[unlikely]] inject_before_call();
  }
  ~NativeCall() {
    if (injecting) [[unlikely]] inject_after_call();
  }
  NativeCall(const NativeCall&) = delete;
  NativeCall& operator=(const NativeCall&) = delete;
};

}  // namespace heddle::runtime
