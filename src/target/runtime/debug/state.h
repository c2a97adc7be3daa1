#pragma once
#include <cstdint>

#include "runtime/memory/pointer_map.h"
#include "runtime/os/dispatch.h"

namespace heddle::runtime {

struct Thread;

// Stacks for failure reports: a blocked thread, given the turn for this only, writes its own.
struct StackRequest {
  void (*take)(Thread*);  // nullptr: none
  Thread* from;
};

struct DebugState {
  PointerMap<std::uint32_t> occurrences;  // by thread and site: how often it has been reached
  StackRequest stack_request;
  SavedControl breakpoint_control;  // while the library of breakpoints works
  bool injecting;                   // see injection.h. Set once, before the program has threads
};

}  // namespace heddle::runtime
