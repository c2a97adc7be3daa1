#pragma once
#include <cstdint>

#include "runtime/memory/pointer_map.h"
#include "runtime/os/dispatch.h"

namespace heddle::runtime {

struct Thread;

// A request to a blocked thread, which gets the turn only to write its own stack into a failure report.
struct StackRequest {
  void (*take)(Thread*);  // nullptr: none
  Thread* from;
};

struct DebugState {
  PointerMap<std::uint32_t> occurrences;  // by thread and site: how often it has been reached
  StackRequest stack_request;
  SavedControl breakpoint_control;  // while the breakpoint library runs
  bool injecting;                   // see injection.h; set once, before the program has threads
};

}  // namespace heddle::runtime
