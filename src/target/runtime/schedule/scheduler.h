#pragma once
// Who has the turn. Exactly one thread of the program runs at a time; it keeps the turn until a scheduling point at
// which the strategy chooses another, or until it blocks. Everything here is called by the thread that has the turn,
// except where said. Nothing here allocates from the program's heap, throws, or touches errno.
#include <cstdint>

#include "format/session.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/objects.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// True for a thread of a controlled program that has the turn: false in a native run, before control is taken, after
// fork in the child, and on a kernel thread that the runtime does not know.
bool controlled();

// The thread that has the turn.
Thread* current();

// A scheduling point: the current thread is about to do `kind` on `object`. Others may run before this returns. Then
// the event is recorded: call it right before the operation. `value` goes into the trace.
void point(EventKind kind, const void* object, std::uint64_t value = 0);

// The same without recording: for operations whose event is only known afterwards (a try-lock, a lock that must wait).
// Follow with note().
void announce(EventKind kind, const void* object);

// Records (and hashes) an event that is not a scheduling point.
void note(EventKind kind, const void* object, std::uint64_t value = 0);

// Records an event that is not hashed either: clips are older than those of a primitive's life, and than attempts in
// vain.
void note_unhashed(EventKind kind, const void* object);

// As point(), and others go first if they can.
void yield();

// The current thread leaves the turn until it is woken, its deadline passes, or a signal or a cancellation ends the
// wait.
WakeReason block(const WaitSpec& spec);

// Wakes up to `count` threads that wait with this key; which ones, the strategy says. Returns how many.
std::uint32_t wake(const void* key, std::uint32_t count);
std::uint32_t count_waiters(const void* key);

// Ends one thread's wait from outside its key: a signal, a cancellation, the outside world.
void interrupt(Thread* thread, WakeReason reason);

// Locks. Threads that block() at a gate stay queued until they have passed: opening lets them compete, closing (another
// took the lock) holds the others back, so that only threads that can continue are ever offered to the strategy.
void open_gate(const void* key);
void close_gate(const void* key);

// Threads.
Thread* create_thread(Thread* parent);  // known to nobody yet
void register_thread(Thread* thread);   // and runnable
void register_disabled_thread(Thread* thread);
void note_thread(EventKind kind, Thread* other);
void abandon_thread(Thread* thread);     // creation failed
bool is_disabled(const Thread* thread);  // the session says that it is not to be started
void leave_for_good();                  // the current thread has exited; somebody else goes on (transfer_turn_for_good)
Thread* find_thread(pthread_t handle);  // nullptr: unknown or already joined
Thread* thread_by_id(ThreadId id);
std::uint32_t live_thread_count();
void release_thread(Thread* thread);  // exited and joined: its stack and its record may be reused
template <typename Function>
void for_each_thread(Function function);  // live ones, by id
template <typename Predicate>
bool any_thread(Predicate predicate);

// The choice's and the engine's side of a switch. Some are inlined wherever they are used: after a switch the
// return-address predictor still holds the previous thread's stack, so every return mispredicts.
void end_run(Thread* next, bool preemption);
void give_turn(Thread* next);
void begin_turn_of_new_thread();

}  // namespace heddle::runtime

#include "runtime/schedule/scheduler_inline.h"
