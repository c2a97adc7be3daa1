#pragma once
// The communication graph of the run, on line (Bugaboo's BB-SW): docs/design/016_graphs.md.
#include <cstdint>

#include "abi/hooks.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {

// Reads the session's GraphConfig. Later calls of the others are harmless when no graph is wanted.
void initialise_graph(bool native);

// An access that is about to happen, by the thread that has the turn. Called from hooks, and preserve_most like them.
__attribute__((preserve_most)) void collect_access(const void* address, const HeddleSite* site, std::uint64_t size);

// The same in a run without control: by any thread, at any time.
__attribute__((preserve_most)) void collect_native_access(const void* address, const HeddleSite* site,
                                                          std::uint64_t size);

// An operation on a primitive, by the thread that has the turn.
void collect_operation(EventKind kind, const void* object);

// The same without control: when a thread has what it waited for, and before it lets others go on.
void collect_native_operation(EventKind kind, const void* object, const void* entered_from);
// These are for interposed functions themselves: where they return to is looked at.
[[gnu::always_inline]] inline void collect_native(EventKind kind, const void* object) {
  if (hot.native_graph != GraphWork::None) [[unlikely]]
    collect_native_operation(kind, object, __builtin_return_address(0));
}
// Init or Destroy, with control or without.
[[gnu::always_inline]] inline void note_lifetime(EventKind kind, const void* object) {
  if (controlled())
    note_unhashed(kind, object);
  else
    collect_native(kind, object);
}
// Passes on what the operation returned.
[[gnu::always_inline]] inline int collect_native_success(int error, EventKind kind, const void* object) {
  if (error == 0) collect_native(kind, object);
  return error;
}
[[gnu::always_inline]] inline int collect_native_attempt(int error, EventKind success, EventKind failure,
                                                         const void* object) {
  collect_native(error == 0 ? success : failure, object);
  return error;
}

}  // namespace heddle::runtime
