#pragma once
// The choice of the next thread.
//
// A thread keeps the turn until a scheduling point that needs a decision. Most points need none, so a point costs one
// comparison, `++steps >= hot.next_choice`. hot.next_choice is the earliest of three steps (set_next_choice):
//
// - strategy_deadline: the strategy makes its next choice here.
// - fair_deadline: the thread has kept the turn for fair_points, or is watched for a spinning loop (spin.h). A thread
//   that has used up its share, or spins, lets another one run, whatever the strategy planned (limits.h).
// - due_step: a signal timer fires, the step budget is used up, or a checkpoint is due (find_due_step). In a run that
//   annotates a clip every step is due, because it counts the occurrences of each site.
//
// A signal from outside sets hot.next_choice to 0, so that the next point handles it.
//
// A choice (choose_next in choice.cpp) first wakes the threads whose timers have expired and polls external events if
// they may have changed. Then it offers the strategy the pending operation of each runnable thread; also of threads in
// timed waits whose time-out may fire early, and of waiters on condition variables if the session allows spurious
// wake-ups. If no thread is runnable, it waits for an external event or advances virtual time.
// If neither is possible, the run ends as a deadlock or a lost wake-up.
//
// INVARIANT: a strategy sees ids, kinds, sites, object numbers, steps and hashes of the run so far, never an address,
// the clock or the operating system. Choosing another thread ends a run of the clip (end_run) and hands the turn over
// (give_turn).
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// Builds the strategy from the session's configuration.
void initialise_choices();
// Makes the strategy choose at the current point, even if it planned a later one.
void choose_at_this_point();
// Starts the next repetition of a test body in this process. Each repetition has the whole step budget.
void begin_body();

// The current thread is at a point and could continue.
void choose_at_point();
void choose_at_yield();
// The current thread cannot continue. Returns when it is runnable again and has the turn.
void choose_when_blocked();
// The current thread has exited. Returns the thread that runs next.
Thread* choose_after_exit();
// The next of at most `count` waiters with `key` to wake; nullptr: no thread waits.
Thread* choose_waiter(const void* key, std::uint32_t count);

// Timed waits. A timer that fires makes its thread runnable.
void add_timer(Thread* thread);
void remove_timer(Thread* thread);

// Call when the step budget, the step of a signal timer or of a checkpoint has changed.
void find_due_step();

}  // namespace heddle::runtime
