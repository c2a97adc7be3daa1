// The scheduler's side of include/heddle/breakpoint.h. The library keeps its own state. Under control no other thread
// runs while it does, and its accesses and predicates are not scheduling points. A postponed thread waits on the
// virtual clock: it continues when its partners have arrived, or when all other threads wait too.
#include "runtime/os/real.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

using namespace heddle::runtime;

namespace {

void stop_scheduling() { rt.debug.breakpoint_control = leave_control(); }
void resume_scheduling() { return_to_control(rt.debug.breakpoint_control); }

}  // namespace

HEDDLE_INTERPOSE int heddle_breakpoint_enter() {
  if (!controlled()) return 0;
  stop_scheduling();
  return 1;
}

HEDDLE_INTERPOSE void heddle_breakpoint_leave() { resume_scheduling(); }

HEDDLE_INTERPOSE unsigned long long heddle_breakpoint_now() { return clock_now(); }

HEDDLE_INTERPOSE int heddle_breakpoint_is_main() { return hot.current->id == heddle::kMainThread; }

HEDDLE_INTERPOSE void heddle_breakpoint_wait(const void* key, unsigned long long timeout_ns) {
  resume_scheduling();
  const std::uint64_t now = clock_now();
  note(EventKind::Wait, key);
  const WakeReason reason = block({.kind = EventKind::Wait, .key = key, .deadline_ns = now + timeout_ns});
  note(EventKind::Woken, key, reason == WakeReason::TimedOut ? 1 : 0);
  stop_scheduling();
}

HEDDLE_INTERPOSE void heddle_breakpoint_wake(const void* key) {
  resume_scheduling();
  wake(key, ~std::uint32_t{0});
  stop_scheduling();
}
