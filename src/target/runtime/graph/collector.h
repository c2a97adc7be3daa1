#pragma once
// Collects the communication graph of a run while it runs (Bugaboo's BB-SW); docs/design/016_graphs.md.
//
// Each word of the program has a cell in the shadow memory (shadow.h): the thread that wrote it last, the site of the
// write, and the writer's context, a short history of its communication events. An access to a word that another thread
// wrote adds an edge from the write to the access, and an event to the contexts of both threads. The edges are in the
// session, where the host reads them; an edge is counted up to a limit and then costs no further update.
//
// Three paths, from the fastest: assembly in the hooks for accesses that add no edge (compact_graph_x86_64.S), the same
// in C++ (compact_graph.h), and the rules of graph_rules for everything else. The fast paths exist only for words of
// eight bytes without readers. Runs without control use the same cells from all threads at once, without locks: a lost
// event is cheaper than an order that the program does not have.
#include <cstdint>

#include "abi/hooks.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {

// Reads the session's GraphConfig. Without a configured graph the other functions have no effect.
void initialise_graph(bool native);

// Collects an access that the thread with the turn is about to make. preserve_most like the hooks that call it.
__attribute__((preserve_most)) void collect_access(const void* address, const HeddleSite* site, std::uint64_t size);

// The same in a run without control. Any thread may call it at any time.
__attribute__((preserve_most)) void collect_native_access(const void* address, const HeddleSite* site,
                                                          std::uint64_t size);

// Collects an operation on a primitive by the thread that has the turn.
void collect_operation(EventKind kind, const void* object);

// The same without control. Must be called after the thread has acquired the primitive and before it releases it.
void collect_native_operation(EventKind kind, const void* object, const void* entered_from);
// The following are inlined into interposed functions, because they pass on the return address.
[[gnu::always_inline]] inline void collect_native(EventKind kind, const void* object) {
  if (hot.native_graph != GraphWork::None) [[unlikely]]
    collect_native_operation(kind, object, __builtin_return_address(0));
}
// Init or Destroy of a primitive, with and without control.
[[gnu::always_inline]] inline void note_lifetime(EventKind kind, const void* object) {
  if (controlled())
    note_unhashed(kind, object);
  else
    collect_native(kind, object);
}
// Returns `error`, the result of the operation.
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
