// One-time initialisation: pthread_once and the guards of function-local statics. The state stays where libc and the
// C++ ABI store it, with their values for "done"; the scheduler decides which thread runs the initialiser and which
// threads block.
#include <pthread.h>

#include "runtime/control/failure.h"
#include "runtime/interpose/locks/once.h"
#include "runtime/os/real.h"
#include "runtime/schedule/scheduler.h"

extern "C" {
int __cxa_guard_acquire(unsigned char* guard);
void __cxa_guard_release(unsigned char* guard);
void __cxa_guard_abort(unsigned char* guard);
}

namespace heddle::runtime {
namespace {

// The values of pthread_once_t in glibc.
constexpr int kFresh = 0;
constexpr int kRunning = 1;
constexpr int kDone = 2;

// Compiled code tests byte 0 of a guard; byte 1 is free for the runtime.
bool is_done(const unsigned char* guard) { return __atomic_load_n(&guard[0], __ATOMIC_ACQUIRE) != 0; }

// Returns true if the caller must run the initialiser. `done` and `running` read the state of `object`.
template <typename Done, typename Running>
bool begin_once(const void* object, Done done, Running running) {
  announce(EventKind::OnceBegin, object);
  while (running()) block({.kind = EventKind::OnceBegin, .key = object});
  if (done()) {
    note(EventKind::OnceSeen, object);
    return false;
  }
  set_holder(object, current()->id);
  note(EventKind::OnceBegin, object);
  return true;
}

void end_once(const void* object) {
  set_holder(object, kNoThread);
  wake(object, ~std::uint32_t{0});
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

int heddle_once_controlled() { return controlled() ? 1 : 0; }

int heddle_once_real(pthread_once_t* control, void (*routine)()) { return HEDDLE_REAL(pthread_once)(control, routine); }

int heddle_once_begin(pthread_once_t* control) {
  const bool runs = begin_once(control, [&] { return *control == kDone; }, [&] { return *control == kRunning; });
  if (runs) *control = kRunning;
  return runs ? 1 : 0;
}

void heddle_once_end(pthread_once_t* control) {
  point(EventKind::OnceEnd, control);
  __atomic_store_n(control, kDone, __ATOMIC_RELEASE);
  end_once(control);
}

void heddle_once_give_up(pthread_once_t* control) {
  *control = kFresh;
  end_once(control);
}

HEDDLE_INTERPOSE int __cxa_guard_acquire(unsigned char* guard) {
  if (!controlled()) return HEDDLE_REAL(__cxa_guard_acquire)(guard);
  if (guard[1] != 0 && holder_of(guard) == current()->id)
    fail_misuse("the initialisation of a static variable enters itself again", guard);
  const bool runs = begin_once(guard, [&] { return is_done(guard); }, [&] { return guard[1] != 0; });
  if (runs) guard[1] = 1;
  return runs ? 1 : 0;
}

HEDDLE_INTERPOSE void __cxa_guard_release(unsigned char* guard) {
  if (!controlled()) return HEDDLE_REAL(__cxa_guard_release)(guard);
  point(EventKind::OnceEnd, guard);
  guard[1] = 0;
  __atomic_store_n(&guard[0], static_cast<unsigned char>(1), __ATOMIC_RELEASE);
  end_once(guard);
}

HEDDLE_INTERPOSE void __cxa_guard_abort(unsigned char* guard) {
  if (!controlled()) return HEDDLE_REAL(__cxa_guard_abort)(guard);
  guard[1] = 0;
  end_once(guard);
}
