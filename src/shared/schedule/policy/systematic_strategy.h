#pragma once
// One execution of a systematic search (M. Musuvathi, S. Qadeer, "Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs", PLDI 2007; M. Emmi, S. Qadeer, Z. Rakamaric, "Delay-Bounded Scheduling", POPL 2011): makes
// the choices of the search, the default choices elsewhere, and logs the alternatives. The search itself runs on the
// host.
#include <cstdint>
#include <span>

#include "format/decision_log.h"
#include "format/run_inputs.h"
#include "schedule/strategy.h"

namespace heddle::schedule {

// The default choice keeps the current thread while it is runnable, and then takes the lowest id or the next one in
// cyclic order of ids. A thread that must yield is followed by the next one in cyclic order in either case. A signal
// wakes the thread that has waited longest.
//
// A deviation, a choice that is not the default one, is named by its step and by the number of earlier choices at the
// same step. At the step of a deviation every choice reaches the strategy, so the name does not depend on how many
// points the engine passed without a choice elsewhere. Choices are logged only after the last deviation: the search has
// already seen those before it.
class SystematicStrategy final : public StrategyOf<SystematicStrategy> {
 public:
  enum class DefaultOrder : std::uint8_t { Lowest = 0, NextInCycle = 1 };

  struct Inputs {
    std::span<const format::Deviation> deviations;  // by step and nth
    std::span<std::uint64_t> log_words;
    format::DecisionLog* log;  // nullptr: nothing is logged
    DefaultOrder order;
    // Deviations at earlier steps are skipped: this process is a copy of one that made them.
    std::uint64_t begin_step;
  };

  explicit SystematicStrategy(const Inputs& inputs);

  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override;
  std::uint64_t points_until_choice() override;

 private:
  bool all_made() const { return next_ == inputs_.deviations.size(); }
  std::optional<ThreadId> deviate(std::span<const Pending> pending);
  ThreadId default_choice(const Situation& situation, std::span<const Pending> pending) const;
  void log(const Situation& situation, std::span<const Pending> pending, ThreadId chosen);

  const Inputs inputs_;
  std::uint64_t logged_ = 0;  // words; a copy of the log's count, which the program could overwrite
  bool asked_ = false;
  std::uint64_t step_;     // step of the last choice
  std::uint32_t nth_ = 0;  // earlier choices at this step
  std::size_t next_ = 0;   // index of the next deviation
};

}  // namespace heddle::schedule
