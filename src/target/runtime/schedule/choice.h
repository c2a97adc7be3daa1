#pragma once
// Asking the strategy. Split from the scheduler because it is the slow side: everything here happens at a choice, not at
// every point.
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// From the session's configuration; begins main's first run.
void initialise_choices();
// The same in the middle of a run: main begins, or another configuration is to go on from here.
void restart_choices();
// The strategy is asked at the point where the current thread is, whatever it planned.
void ask_at_this_point();

// The current thread is at a point and could go on.
void choose_at_point();
void choose_at_yield();
// The current thread cannot go on: comes back when it can and has the turn.
void choose_when_blocked();
// The current thread has exited: who goes on.
Thread* choose_after_exit();
// Which of the threads waiting with `key` is woken, if only `count` may be; nullptr: none waits.
Thread* choose_waiter(const void* key, std::uint32_t count);

// Timed waits. A timer that fires makes its thread runnable.
void add_timer(Thread* thread);
void remove_timer(Thread* thread);

// The step at which more than the strategy is asked: a signal's timer fires, the budget of steps is used up, a checkpoint is
// left; each one when occurrences are counted. To be called when one of them has changed.
void find_due_step();

// Steps at which the current run began.
std::uint64_t run_began_at();
void begin_run();

// Scheduler's side of a switch (scheduler.cpp). These and the choices above are inlined wherever they are used: after a switch
// the processor expects the returns of the thread that had the turn before, and guesses each of ours wrong.
void end_run(Thread* next, bool preemption);
void give_turn(Thread* next);
void register_thread(Thread* thread);
void register_disabled_thread(Thread* thread);
void note_thread(EventKind kind, Thread* other);
void begin_turn_of_new_thread();

}  // namespace heddle::runtime
