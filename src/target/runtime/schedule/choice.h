#pragma once
// The choice of the next thread.
//
// A thread keeps the turn until a point at which something has to be decided. Most points decide nothing: a strategy
// says how many points may pass before it wants to be asked again, so a point is one comparison, `++steps >=
// hot.next_choice`. hot.next_choice is the earliest of three steps (set_next_choice):
//
//   strategy_deadline   the strategy wants to be asked;
//   fair_deadline       the thread has had the turn for fair_points, and others could run: they get one, whatever the
//   strategy
//                       planned (limits.h);
//   due_step            something happens at a given step in every run of this schedule: a signal's timer fires, the
//   budget of
//                       steps is used up, a checkpoint is left (find_due_step). A run that is made to describe a clip
//                       counts occurrences and has every step due.
//
// A signal from outside sets hot.next_choice to 0: the next point looks.
//
// To be asked (`ask` in choice.cpp) means: timers that have passed make their threads runnable, the outside is looked
// at if it may have changed, and the strategy is offered what each runnable thread is about to do. Sleepers are offered
// too, because a sleep orders nothing, and condition variables' waiters if spurious wake-ups are wanted. When no thread
// is runnable, the outside or virtual time must move; when neither can, the run ends as a deadlock or a lost wake-up.
//
// The strategy sees ids, kinds, sites, object numbers and steps, never an address, the clock or the operating system.
// Its answer ends a run of the clip (end_run in scheduler.cpp), and the turn is handed over (give_turn).
#include "runtime/schedule/thread.h"

namespace heddle::runtime {

// From the session's configuration, when control is taken.
void initialise_choices();
// The strategy is asked at the point where the current thread is, whatever it planned.
void ask_at_this_point();
// A body of the program is about to begin, again and again in one process: each has the whole budget of steps.
void begin_body();

// The current thread is at a point and could continue.
void choose_at_point();
void choose_at_yield();
// The current thread cannot continue: returns when it can and has the turn.
void choose_when_blocked();
// The current thread has exited: the thread that runs next.
Thread* choose_after_exit();
// Which of the threads waiting with `key` is woken, if only `count` may be; nullptr: none waits.
Thread* choose_waiter(const void* key, std::uint32_t count);

// Timed waits. A timer that fires makes its thread runnable.
void add_timer(Thread* thread);
void remove_timer(Thread* thread);

// To be called when one of the things that are due at a step has changed.
void find_due_step();

}  // namespace heddle::runtime
