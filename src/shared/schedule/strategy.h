#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "base/ids.h"
#include "format/event.h"

// The interface between the engine, which switches threads, and a policy, which chooses them.
//
// A run under control executes one thread at a time. The engine counts scheduling points and puts two questions to the
// strategy: which pending thread runs next (Question::Run), and which of several waiting threads a signal wakes
// (Question::Wake). The strategy answers with a thread and with the number of points that may pass before the next
// choice; until then a point costs an increment and a comparison.
//
// A strategy decides from its arguments, its configuration and its seed only. It reads neither the clock nor an
// address, and it makes no system call. The same seed and the same program therefore give the same run.
//
// Fairness is the engine's (fairness.h): a thread that yields, or that keeps the turn for too long, is not offered
// again until every other runnable thread has had a turn, whatever the strategy planned. Time-outs are the strategy's:
// a thread in a timed wait is offered as Offer::Early, and choosing it lets its time-out fire although other threads
// can run. An early time-out is a disturbance like a preemption: a strategy with a bound or with priorities spends the
// same budget on it, and no strategy takes it by default.
//
// A strategy lives in static storage inside the program under test, where malloc is not available (make_strategy.h).
namespace heddle::schedule {

enum class Offer : std::uint8_t {
  Ready,
  Early,     // the thread waits; if it is chosen, its time-out fires, or it wakes spuriously
  Deferred,  // the thread has yielded; only strategies that follow a given schedule receive it
};

// The next operation of a thread. `object` is never an address: objects are numbered in order of first use, so that a
// number means the same in every run of the same schedule. An access has an object only under Pos, Surw and Systematic.
struct Pending {
  ThreadId thread;
  format::EventKind kind;
  SiteId site;
  std::uint64_t object;
  Offer offer = Offer::Ready;
};

enum class Question : std::uint8_t {
  Run,   // which thread runs next
  Wake,  // which waiting thread is woken
};

// The thread with this descent, an index into the session's descents; kNoThread while it has not been created.
using ThreadOfDescent = ThreadId (*)(std::uint32_t descent);

struct Situation {
  Question question;
  ThreadId current;       // the thread that had the turn
  bool current_runnable;  // the current thread is Ready; choosing another one is a preemption
  bool must_yield;        // the current thread yields or kept the turn too long; it is Ready only if no other thread is
  std::uint64_t step;
  std::uint32_t check;      // low half of the event hash
  std::uint64_t state = 0;  // equal for equivalent pasts; recorded only with format::kObserve
  bool all_ready = true;    // every pending thread is Ready
};

// The chosen thread, if any, and how many points may pass before the next choice. Returned in registers, for speed.
struct Decision {
  std::optional<ThreadId> thread;
  std::uint64_t points_until_choice;
};

// Chooses the thread that runs next and the thread that is woken.
class Strategy {
 public:
  // REQUIRES: at least one thread of `pending` is Ready. For Question::Run it is sorted by ThreadId; for Question::Wake
  // it has the order in which the threads began to wait. Returns nullopt to end the run here, as a replay does that has
  // diverged.
  virtual std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) = 0;

  // The number of scheduling points from the last choice to the next one, the point of the next choice included. At
  // least 1; before the first choice it may be 0, which means the current point. A thread that blocks or terminates
  // causes a choice immediately in any case.
  virtual std::uint64_t points_until_choice() = 0;

  // choose() and then points_until_choice(): the one call that a switch makes.
  virtual Decision decide(const Situation& situation, std::span<const Pending> pending) = 0;

 protected:
  ~Strategy() = default;  // lives in static storage inside the program; never deleted through the base
};

// The base of every strategy: decide() is one virtual call, which calls choose() and points_until_choice() directly.
template <typename Self>
class StrategyOf : public Strategy {
 public:
  Decision decide(const Situation& situation, std::span<const Pending> pending) final {
    Self& self = static_cast<Self&>(*this);
    const std::optional<ThreadId> chosen = self.Self::choose(situation, pending);
    return {chosen, chosen ? self.Self::points_until_choice() : 0};
  }

 protected:
  ~StrategyOf() = default;
};

}  // namespace heddle::schedule
