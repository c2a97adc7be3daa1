#pragma once
// What an operation on a primitive means for a graph. Bugaboo's BB-SW instruments the C library like everything else,
// so all of them are accesses there, at the library's own instructions: the same few for every lock of a program. Here
// they are at the places that call, and only what these have to say to each other is kept: a primitive is made and
// destroyed for all who use it (docs/design/016_graphs.md).
#include "format/event.h"
#include "graph_rules/access_rules.h"

namespace heddle::graph_rules {

enum class Role : std::uint8_t {
  None,  // no memory of a primitive's, or one without a beginning and an end
  Use,   // finds the primitive as the last operation on its life left it
  Life,  // makes or ends it, whoever has used it
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

// Contexts stay those of data: an event at every lock would leave no room in them for what critical sections do. Store,
// beside what communicate() wants of it: use(granule) -> reference to something like a Cell, of whoever used the
// primitive last.
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
