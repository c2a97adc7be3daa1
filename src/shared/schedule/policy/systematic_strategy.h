#pragma once
// One execution of a systematic search (M. Musuvathi, S. Qadeer, "Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs", PLDI 2007; M. Emmi, S. Qadeer, Z. Rakamaric, "Delay-Bounded Scheduling", POPL 2011): the
// choices that the search made, the default ones otherwise, and a log of what else could have been chosen. The search
// itself is on the host.
#include <cstdint>
#include <span>

#include "format/decision_log.h"
#include "format/run_inputs.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// The default: a thread goes on while it can; then the lowest id, or the next one in the circle of ids. A thread that
// must yield is followed by the next in the circle in either case. Whoever has waited longest is woken.
//
// A choice is named by its step and by how many were made at the same step before it. Every choice at a step at which
// the search deviates is asked for, so a name does not depend on which other steps the runtime was told to pass.
class SystematicStrategy final : public StrategyOf<SystematicStrategy> {
 public:
  enum class DefaultOrder : std::uint8_t { Lowest = 0, NextInCircle = 1 };

  struct Inputs {
    std::span<const format::Deviation> deviations;  // by step and nth
    std::span<std::uint64_t> log_words;
    format::DecisionLog* log;  // nullptr: nothing is logged
    DefaultOrder order;
    // Deviations at earlier steps have been made: the execution is the copy of one that made them.
    std::uint64_t begin_step;
  };

  explicit SystematicStrategy(const Inputs& inputs);

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override;

 private:
  bool all_made() const { return next_ == deviations_.size(); }
  std::optional<ThreadId> deviate(std::span<const Pending> pending);
  ThreadId default_choice(const Situation& situation, std::span<const Pending> pending) const;
  void log(const Situation& situation, std::span<const Pending> pending, ThreadId chosen);

  std::span<const format::Deviation> deviations_;
  std::span<std::uint64_t> log_words_;
  format::DecisionLog* log_;
  std::uint64_t logged_ = 0;  // words; not only in the log, which the program could overwrite
  DefaultOrder order_;
  bool asked_ = false;
  std::uint64_t step_;     // of the last choice
  std::uint32_t nth_ = 0;  // choice at this step
  std::size_t next_ = 0;   // deviation
};

}  // namespace heddle::schedule
