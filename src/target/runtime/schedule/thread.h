#pragma once
// A thread of the program under test, as the scheduler sees it.
#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "format/event.h"
#include "schedule/fairness.h"

namespace heddle::runtime {

using format::EventKind;

inline constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};
inline constexpr std::uint64_t kNoStep = ~std::uint64_t{0};

enum class ThreadState : std::uint8_t {
  Runnable,
  Blocked,  // `wait` says for what
  Exited,
};

enum class WakeReason : std::uint8_t { Woken, TimedOut, Interrupted, Cancelled };

// The condition that a blocked thread waits for.
struct WaitSpec {
  EventKind kind;                           // as reported to users: Lock, Wait, Join, Sleep, ExternalWait ...
  const void* key;                          // wake() with this key ends the wait; nullptr: no wake() does
  std::uint64_t deadline_ns = kNoDeadline;  // on the virtual clock
  bool interruptible = false;               // a signal with a handler ends the wait
  bool cancellable = false;                 // pthread_cancel ends the wait
};

// The external event that a blocked thread waits for. Kept by runtime/io.
struct ExternalWait {
  enum class Kind : std::uint8_t { None, Descriptors, Child, Retry } kind = Kind::None;
  void* detail = nullptr;
};

struct ThreadLocalDestructor {
  void (*function)(void*);
  void* object;
  ThreadLocalDestructor* next;
};

struct Host;

struct Thread {
  // Identity.
  ThreadId id;
  ThreadId parent;
  std::uint32_t ordinal;  // among the children of its parent, from 1
  std::uint32_t children;
  std::uint64_t descent;
  char name[16];

  // Turn.
  ThreadState state;
  WakeReason wake_reason;
  EventKind pending_kind;
  const void* pending_object;
  std::uint64_t pending_number;  // stable object number; for accesses only if the strategy uses it
  SiteId pending_site;           // after the words, so that offer_of() loads with the widths of the stores
  bool point_unrecorded;         // it has reached a point for which no event is recorded yet
  std::uint64_t operations;      // operations so far, if they are observed (observe.h)
  std::uint64_t blocks;          // points of HEDDLE_HOOKS=branches reached so far, if they are counted

  schedule::Turns turns;  // see schedule/fairness.h

  // Time.
  std::uint64_t points_before_run;  // points passed before the current run of the clip
  std::uint64_t cpu_extra_ns;       // CPU time in addition to that of the points
  // Readings of clocks in a row (work.h).
  std::uint32_t readings_in_row;
  std::uint64_t row_began_ns;
  std::uint64_t last_reading_point;  // in its own points

  // Wait.
  WaitSpec wait;
  std::uint64_t early_timeout_ns;  // of a wait whose time-out has fired early; 0: none has
  std::uint64_t timeout_ns;        // from the beginning of the wait to its deadline; kNoDeadline: it has none
  ExternalWait external;
  Thread* wait_next;  // in the queue of its key, in order of arrival
  bool queued;

  // Engine.
  void* stack_pointer;           // fiber engine: valid while the thread does not have the turn
  std::uint64_t thread_pointer;  // FS base
  Host* host;                    // a prepared host (engine/hosts.h); nullptr: it has a kernel thread of its own
  std::uint32_t ready;           // futex: the kernel thread has started
  std::uint32_t turn;            // futex: thread engine: it has the turn; fiber engine: its host may end
  int* error_number;             // its errno; __errno_location() would cost a tenth of a switch
  pid_t process;                 // the process of its kernel thread, which a checkpoint's copy does not have
  std::int32_t kernel_tid;
  void* stack_begin;  // from engine/stacks.h; nullptr: the program supplied the stack
  std::size_t stack_size;
  std::uint8_t dispatch_selector;  // thread engine: selector byte for Syscall User Dispatch

  // pthread.
  pthread_t handle;
  void* (*start_routine)(void*);
  void* argument;
  void* result;
  bool never_started;  // disabled by the session: it has a name and a handle, but never runs
  bool detached;
  bool joined;     // by the program
  bool host_gone;  // its kernel thread has ended and was joined
  bool cancel_requested;
  bool cancel_disabled;
  bool cancel_asynchronous;
  bool exiting;  // past the point where it can be cancelled
  ThreadLocalDestructor* local_destructors;

  // Signals.
  std::uint64_t signal_mask;
  std::uint64_t signals_pending;
  std::uint64_t signals_awaited;  // by sigwait, sigwaitinfo or sigtimedwait
  bool awaits_signal;             // in sigwait, sigsuspend or pause: only a signal ends the wait
  bool handlers_restart;          // the handlers that ended its last wait all had SA_RESTART
  void* alternate_stack;
  std::size_t alternate_stack_size;
  std::uint32_t alternate_stack_flags;

  // Runs that annotate a clip (annotate.h).
  SiteId access_site;  // the last access that it has reached, and its occurrence
  std::uint32_t access_occurrence;
  SiteId done_access_site;  // the last access before the pending operation, and its occurrence
  std::uint32_t done_access_occurrence;
  std::uint16_t since_access[128];  // by kind: operations that it has reached since access_site
};

}  // namespace heddle::runtime
