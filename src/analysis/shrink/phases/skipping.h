#pragma once
// Skips iterations of several loops and threads together.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "experiment/schedule.h"
#include "shrink/phases/phases.h"
#include "shrink/phases/preemption_retry.h"
#include "shrink/profile/loops.h"

namespace heddle::shrink {

// Iterations to skip of one loop of one thread.
struct Skipped {
  const LoopOfThread* loop;
  std::vector<std::uint32_t> indices;  // of its iterations, ascending
  bool rest = false;                   // also all iterations that the run never reached, to shorten passing runs
};

// False for main, whose loops create and join threads.
bool may_skip_rest(const LoopOfThread& loop);

// The iterations for which `is_skipped` holds, without iterations inside these.
using IsSkipped = std::function<bool(const LoopOfThread&, const Iteration&)>;
std::vector<Skipped> outermost_skipped(const std::vector<LoopOfThread>& loops, const IsSkipped& is_skipped);

// True if iterations of the loop are tried without a slice. Calls and small loops that are not repetitive blocks are
// not, because trying thousands of them costs more than it gains.
bool is_tried(const LoopOfThread& loop, const Size& size);

// The schedule without these iterations. `loops`: all loops of the profiled run; `threads`: its descent names by
// ThreadId.
experiment::Schedule without(const experiment::Schedule& schedule, const std::vector<Skipped>& skipped,
                             const std::vector<LoopOfThread>& loops, const std::vector<std::string>& threads);

// Skips iterations of the best execution, as far as the criterion permits.
//
// Skipping changes the counts of points, so a schedule with a single preemption that no longer fails is retried with
// the preemption at the same place of the program (preemption_retry.h). A result must also be the same bug: it passes
// in sequence, and if the original needs preemptions to fail, the result must need them, too. Otherwise the omission
// itself would cause the failure.
class Skipper {
 public:
  // When the second half of the criterion is checked, which takes a run to the end of the program: for each reduction,
  // or once for the result, because it depends only on the result.
  enum class Sequence { OfEach, AtTheEnd };

  // `profile`: of the best run. All arguments outlive this.
  Skipper(Reduction& reduction, const SequentialOrder& order, const FailureProfile& profile,
          Sequence sequence = Sequence::OfEach)
      : reduction_(reduction),
        order_(order),
        profile_(profile),
        sequence_(sequence),
        schedule_(reduction.best.schedule),
        best_(reduction.best) {}

  // Skips all of these together. If that fails, the loops that count and the others, then halves of these and so on
  // within Heuristics::kRunsOfHalving. Returns true if some are skipped.
  bool skip(const std::vector<Skipped>& skipped);
  // Skips exactly these in the execution that was the best at construction.
  bool holds_without(const std::vector<Skipped>& skipped);
  // Skips the first of `count` sets without which the criterion holds and returns its index. AsLong: the failing run
  // need not become shorter, since passing runs may.
  enum class Gain { Shorter, AsLong };
  std::optional<std::size_t> first_that_holds(std::size_t count,
                                              const std::function<std::vector<Skipped>(std::size_t)>& skipped,
                                              Gain gain = Gain::Shorter);
  const FailingRun& best() const { return best_; }
  // Sequence::AtTheEnd: takes the result if it is the same bug.
  bool accept();

 private:
  bool is_same_bug(const FailingRun& failing);
  std::vector<experiment::Schedule> retried_schedules(const experiment::Schedule& left);
  static std::uint64_t points_in(const std::vector<Skipped>& skipped);
  // Skips as many of `more` as possible in addition to `taken`.
  bool skip_more(std::span<const Skipped> more, std::vector<Skipped>& taken);

  Reduction& reduction_;
  const SequentialOrder& order_;
  const FailureProfile& profile_;
  const Sequence sequence_;
  const experiment::Schedule schedule_;
  FailingRun best_;
  std::uint64_t steps_before_ = 0;  // of all runs before skip()
  std::optional<SinglePreemption> preemption_;
  bool is_preemption_known_ = false;
  std::size_t failed_retries_ = 0;
};

}  // namespace heddle::shrink
