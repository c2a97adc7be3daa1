#pragma once
// The effect of an operation on a primitive on the graph. Bugaboo's BB-SW also instruments the C library, so its
// operations are accesses by the library's instructions, which are the same for every lock of a program. Here an
// operation is located at its caller, and the graph has only edges between the uses of a primitive and the operations
// that initialise or destroy it (docs/design/016_graphs.md).
#include "format/event.h"
#include "graph_rules/access_rules.h"

namespace heddle::graph_rules {

enum class Role : std::uint8_t {
  None,  // not on a primitive, or on one that is neither initialised nor destroyed
  Use,   // depends on the last Life operation
  Life,  // initialises or destroys the primitive
};

constexpr Role role_of(format::EventKind operation) {
  using format::EventClass;
  switch (format::class_of(operation)) {
    case EventClass::Life:
      return Role::Life;
    case EventClass::Lock:
    case EventClass::Condition:
    case EventClass::Barrier:
    case EventClass::Semaphore:
      return Role::Use;
    default:
      return Role::None;
  }
}

struct Operation {
  std::uint32_t thread;  // below kCellThreads
  std::uint32_t site;
  Role role;  // not None
  std::uint64_t granule;
};

// Operations are not events of a context: an event at every lock would displace the events of critical sections. In
// addition to the members that communicate() needs, the Store has use(granule), which returns a reference to the Cell
// of the last Use.
template <typename Store>
inline void operate(Store& store, const Operation& operation) {
  const Context context = store.context(operation.thread);
  const Cell own = make_cell(operation.site, operation.thread, context);
  const auto meet = [&](Cell cell) {
    if (cell != 0 && cell_thread(cell) != operation.thread) store.add_edge(cell, operation.site, context);
  };
  auto& use = store.use(operation.granule);
  auto& cell = store.cell(operation.granule);
  meet(cell);
  if (operation.role == Role::Use) {
    use = own;
    return;
  }
  meet(use);
  use = 0;
  cell = own;
}

}  // namespace heddle::graph_rules
