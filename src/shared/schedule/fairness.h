#pragma once
// Fairness: which threads may run, and which time-outs may fire early, so that every run ends in which each thread
// needs finitely many turns.
//
// A thread that yields has nothing to do until another thread has changed something. The same holds for a thread that
// spins, and the engine lets a thread that has kept the turn for too long yield as well. If a strategy could choose
// such a thread again and again, a run would never end, and a bounded search would never finish: a choice after a yield
// is free. So a thread that has yielded waits until every other runnable thread has had a turn, however short. This is
// the rule of M. Musuvathi, S. Qadeer, "Fair Stateless Model Checking", PLDI 2008, except that the paper lets a thread
// yield once more before it is held back; the difference costs one preemption in schedules that need it.
//
// Only a systematic search needs the whole rule. A strategy that draws or cycles reaches every thread in any case, and
// would lose schedules: there, a thread that has yielded is offered again as soon as one other thread has had a turn.
//
// An early time-out is similar: a loop that polls with a sleep could be chosen again and again. A thread whose time-out
// fired early may do so again after every thread that is runnable then has had a turn.
//
// Turns are numbered from 1 in one sequence. INVARIANT: threads that have run have different `ran`, and `yielded` <=
// `ran`. So the runnable thread with the oldest turn may always run.
#include <cstdint>

#include "base/random.h"

namespace heddle::schedule {

struct Turns {
  std::uint64_t ran = 0;        // the last turn of the thread; 0: it has not run
  std::uint64_t yielded = 0;    // the turn in which it yielded; 0: it has run since
  std::uint64_t timed_out = 0;  // the turn in which its time-out last fired early; 0: never
};

// `oldest`: the smallest `ran` of all runnable threads.
inline bool may_run(const Turns& thread, std::uint64_t oldest) {
  return thread.yielded == 0 || thread.ran == oldest || thread.yielded < oldest;
}

inline bool may_time_out_early(const Turns& thread, std::uint64_t oldest) {
  return thread.timed_out == 0 || thread.timed_out < oldest;
}

// What the rules above make of `other`, as far as `thread` is concerned. The same past in another order of turns has
// another future if these differ, so a search that compares pasts adds them up over all pairs of live threads.
inline std::uint64_t fairness_word(std::uint32_t thread, const Turns& turns, std::uint32_t other, const Turns& others) {
  const bool before_yield = turns.yielded != 0 && others.ran < turns.yielded;
  const bool before_timeout = turns.timed_out != 0 && others.ran <= turns.timed_out;
  if (!before_yield && !before_timeout) return 0;
  const std::uint64_t pair = std::uint64_t{thread} << 34 | std::uint64_t{other} << 2 |
                             std::uint64_t{before_yield} << 1 | std::uint64_t{before_timeout};
  return Random{pair}.next();
}

}  // namespace heddle::schedule
