#pragma once
// A thread of the program under test, as the scheduler sees it.
#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "format/event.h"

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

// What a blocked thread waits for.
struct WaitSpec {
  EventKind kind;                           // how it is told to people: Lock, Wait, Join, Sleep, ExternalWait ...
  const void* key;                          // woken by this; nullptr: nobody but a timer, a signal or the outside
  std::uint64_t deadline_ns = kNoDeadline;  // on the virtual clock
  bool is_sleep = false;                    // the deadline is all it waits for: it may be let go early
  bool interruptible = false;               // a signal with a handler ends the wait
  bool cancellable = false;                 // so does pthread_cancel
};

// What the outside must do before a blocked thread can go on. Kept by runtime/io.
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
  std::uint32_t ordinal;  // which child of its parent, from 1
  std::uint32_t children;
  std::uint64_t descent;
  char name[16];

  // Turn.
  ThreadState state;
  WakeReason wake_reason;
  EventKind pending_kind;
  const void* pending_object;
  std::uint64_t pending_number;  // stable object number; for accesses only where a strategy looks at it
  SiteId pending_site;           // behind the two: cleared together, they are stored as a strategy's offer is loaded
  bool point_unrecorded;         // it has come to a point of which no event was recorded yet
  std::uint64_t operations;      // made so far, where they are observed (observe.h)
  std::uint64_t blocks;          // points of HEDDLE_HOOKS=branches that it has come to, where they are counted

  // Wait.
  WaitSpec wait;
  ExternalWait external;
  Thread* wait_next;  // in the queue of its key, in order of arrival
  bool queued;

  // Engine.
  void* stack_pointer;           // fiber engine: valid while it has not the turn
  std::uint64_t thread_pointer;  // FS base
  Host* host;                    // a prepared one (engine/hosts.h); nullptr: it has a kernel thread of its own
  std::uint32_t ready;           // futex: the kernel thread has come up
  std::uint32_t turn;            // futex: thread engine: it has the turn; fiber engine: its host may end
  int* error_number;             // its errno: the call that tells where it is costs a tenth of a switch
  pid_t process;                 // in which its kernel thread lives; a checkpoint's copy has none of the old ones
  std::int32_t kernel_tid;
  void* stack_begin;  // ours, from runtime/stacks; nullptr when the program supplied it
  std::size_t stack_size;
  std::uint8_t dispatch_selector;  // thread engine: Syscall User Dispatch, this thread's own

  // pthread.
  pthread_t handle;
  void* (*start_routine)(void*);
  void* argument;
  void* result;
  bool never_started;  // disabled by the session: it has a name and a handle, and has ended
  bool detached;
  bool joined;     // the program has joined it
  bool host_gone;  // its kernel thread has ended and was joined
  bool cancel_requested;
  bool cancel_disabled;
  bool cancel_asynchronous;
  bool exiting;  // past the point where it can be cancelled
  ThreadLocalDestructor* local_destructors;

  // Signals.
  std::uint64_t signal_mask;
  std::uint64_t signals_pending;
  std::uint64_t signals_awaited;  // by sigwait and its kin
  bool awaits_signal;             // sigwait, sigsuspend, pause: only a signal lets it go on
  bool handlers_restart;          // the handlers that ended its last wait all had SA_RESTART
  void* alternate_stack;
  std::size_t alternate_stack_size;
  std::uint32_t alternate_stack_flags;

  // Runs that are made to describe a clip (annotate.h).
  SiteId access_site;  // the access that it has come to last, and which occurrence of it that is
  std::uint32_t access_occurrence;
  SiteId done_access_site;  // the last access before what it is about to do now
  std::uint32_t done_access_occurrence;
  std::uint16_t since_access[128];  // by kind: operations that it has come to since
};

}  // namespace heddle::runtime
