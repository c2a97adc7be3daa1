#pragma once
// The scheduler. Exactly one thread of the program has the turn, and only that thread runs program code. It keeps the
// turn until it blocks or exits, or until a scheduling point at which the strategy chooses another thread (choice.h).
//
// Interposed functions and hooks call the scheduler before each operation that other threads can observe. A primitive
// is built from point() or announce(), block() and wake(): the state of the primitive itself stays in the program's
// memory, and the scheduler keeps the queue of its waiters. Handing the turn over is the engine's work (engine.h).
//
// A recorded run consists of events, which point() and note() write to the ring and add to the event hash, and of
// switches (end_run), from which clips are made. The hash is the fingerprint of the run: a replay must compute the same
// hash, so nothing that differs between runs may be added to it, such as an address or a real time.
//
// INVARIANT: only the thread that has the turn calls these functions, except controlled(). They never allocate from the
// program's heap, throw, or change errno.
#include <cstdint>

#include "format/session.h"
#include "runtime/schedule/clock.h"
#include "runtime/schedule/objects.h"
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// True on the thread of a controlled program that has the turn. False in a native run, before control is taken, in a
// forked child, and on a kernel thread that the runtime does not manage.
bool controlled();

// The thread that has the turn.
Thread* current();

// A scheduling point before the operation `kind` on `object`: other threads may run before it returns. Then the event
// is recorded, with `value`. REQUIRES: the operation follows immediately.
void point(EventKind kind, const void* object, std::uint64_t value = 0);

// A scheduling point without an event, for operations whose event is known only afterwards (a try-lock, a lock that may
// block). Follow with note().
void announce(EventKind kind, const void* object);

// Records and hashes an event that is not a scheduling point.
void note(EventKind kind, const void* object, std::uint64_t value = 0);

// Records an event without hashing it, so that clips made before these kinds existed keep their hash.
void note_unhashed(EventKind kind, const void* object);

// Like announce() and point(), but another thread runs next if one can.
void announce_yield(EventKind kind);
void yield();

// Blocks the current thread until it is woken, its deadline passes, or a signal or a cancellation ends the wait.
WakeReason block(const WaitSpec& spec);

// Wakes up to `count` waiters of this key, chosen by the strategy. Returns how many it woke.
std::uint32_t wake(const void* key, std::uint32_t count);
std::uint32_t count_waiters(const void* key);

// Ends the wait of one thread for a reason other than its key: a deadline, a signal, a cancellation, an external event.
void interrupt(Thread* thread, WakeReason reason);

// Locks. A thread that blocks at a gate stays in its queue until it has taken the lock. Opening the gate makes all its
// waiters runnable, so that they compete for the lock; closing it, when one has taken the lock, blocks the others
// again. The strategy is therefore offered only threads that can continue.
void open_gate(const void* key);
void close_gate(const void* key);

// Threads.
Thread* create_thread(Thread* parent);          // a record that is not registered yet
void register_thread(Thread* thread);           // makes it runnable
void register_disabled_thread(Thread* thread);  // takes its id and its ordinal, so that other threads keep theirs
void note_thread(EventKind kind, Thread* other);
void abandon_thread(Thread* thread);     // its creation failed
bool is_disabled(const Thread* thread);  // true if the session skips this thread
void exit_current_thread();              // hands the turn over; see transfer_turn_at_exit()
Thread* find_thread(pthread_t handle);   // nullptr: unknown or already joined
Thread* thread_by_id(ThreadId id);
std::uint32_t live_thread_count();
void release_thread(Thread* thread);  // has exited and was joined: its stack and its record can be reused
template <typename Function>
void for_each_thread(Function function);  // live threads, by id
template <typename Predicate>
bool any_thread(Predicate predicate);

// The parts of a switch that choice and engine call. Some are inlined wherever they are used: after a switch the
// return-address predictor still holds the previous thread's stack, so every return mispredicts.
void end_run(Thread* next, bool preemption);
void give_turn(Thread* next);
void begin_turn_of_new_thread();

}  // namespace heddle::runtime

#include "runtime/schedule/scheduler_inline.h"
