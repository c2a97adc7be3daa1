#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "base/ids.h"
#include "format/event.h"

namespace heddle::schedule {

// What a thread is about to do. Never an address: `object` is numbered in order of first use, so that it means the same
// in every run of the same schedule. Accesses have one only under the strategies that look at it: Pos, Surw, Systematic.
struct Pending {
  ThreadId thread;
  format::EventKind kind;
  SiteId site;
  std::uint64_t object;
};

enum class Question : std::uint8_t {
  Run,   // which thread goes on
  Wake,  // which of the waiting threads is woken
};

struct Situation {
  Question question;
  ThreadId current;       // who had the turn
  bool current_runnable;  // it is among `pending`; choosing another is a preemption
  // When the current thread is not runnable the choice was forced: in a replay that is a run with `forced` set, and
  // points_until_choice() must have been larger than its points.
  bool must_yield;        // it asked to yield, or kept the turn too long; it is among `pending` only if it is alone
  std::uint64_t step;
  std::uint32_t check;    // low half of the event hash
  std::uint64_t state = 0;  // equal for equivalent pasts, where it is kept (format::kObserve)
};

// Who runs, or nobody, and how many points may pass before the next choice. Two registers: a switch is all that comes of it.
struct Decision {
  std::optional<ThreadId> thread;
  std::uint64_t points_until_choice;
};

// Decides what happens next: which thread runs, who is woken. Pure: sees only its arguments and its seed, so that the
// same seed and the same program give the same run. A timer that may fire is a pending thread like any other.
class Strategy {
 public:
  // REQUIRES: `pending` is not empty and is sorted by ThreadId. Returns nullopt to end the run here (a replay that
  // cannot go on).
  virtual std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) = 0;

  // How many scheduling points may pass, from the last choice on, before choose() must be asked again, the one at which
  // it is asked included. At least 1; before the first choice it may be 0, for the point at which the thread stands now.
  // Blocking asks at once. What keeps a point at a decrement and a branch.
  virtual std::uint64_t points_until_choice() = 0;

  // Both, in this order: what is asked at every switch.
  virtual Decision decide(const Situation& situation, std::span<const Pending> pending) = 0;

 protected:
  ~Strategy() = default;  // lives in static storage inside the program; never deleted through the base
};

// What strategies derive from: to decide is one virtual call, in which the two others are direct.
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
