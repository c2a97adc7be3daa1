#pragma once
// Iterations of several loops and threads that are left out together.
#include <cstdint>
#include <functional>
#include <vector>

#include "shrink/loops.h"
#include "shrink/phases.h"
#include "shrink/plan.h"
#include "shrink/restop.h"

namespace heddle::shrink {

// Of one loop of one thread; indices into its iterations, ascending.
struct Skipped {
  const LoopOfThread* loop;
  std::vector<std::uint32_t> indices;
};

// The iterations for which `is_skipped` holds, without those inside of such ones.
using IsSkipped = std::function<bool(const LoopOfThread&, const Iteration&)>;
std::vector<Skipped> outermost_skipped(const std::vector<LoopOfThread>& loops, const IsSkipped& is_skipped);

// What is left of the plan without them. `threads`: descent names by ThreadId, of the run in which the loops were seen.
Plan without(const Plan& plan, const std::vector<Skipped>& skipped, const std::vector<std::string>& threads);

// Leaves iterations out of the best execution as far as the criterion holds without them.
class Skipper {
 public:
  // `threads` as above. All outlive this, and the loops of what is skipped.
  Skipper(Reduction& reduction, const SequentialOrder& order, const std::vector<std::string>& threads)
      : reduction_(reduction), order_(order), threads_(threads), plan_(reduction.best.plan) {}

  // All at once or, where it does not hold then, those of one loop after the other. True: it left out some.
  bool skip(const std::vector<Skipped>& skipped);
  // These, of the execution as it was when this was made. With one preemption: also if the thread has to be stopped at
  // another of its points, at the same place of the program.
  bool holds_without(const std::vector<Skipped>& skipped);

 private:
  static constexpr std::uint64_t kRunsToStopAgain = 6;
  static constexpr std::uint64_t kReserve = 3;  // the plain way is to be affordable afterwards
  static constexpr std::size_t kTimes = 3, kInVainMax = 8;

  std::vector<Plan> stopped_again_without(const Plan& left);

  Reduction& reduction_;
  const SequentialOrder& order_;
  const std::vector<std::string>& threads_;
  const Plan plan_;
  std::optional<OnlyStop> stop_;
  bool is_stop_known_ = false;
  std::size_t stopped_in_vain_ = 0;
};

}  // namespace heddle::shrink
