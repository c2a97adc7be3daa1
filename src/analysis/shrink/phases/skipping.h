#pragma once
// Iterations of several loops and threads that are left out together.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "experiment/schedule.h"
#include "shrink/phases/phases.h"
#include "shrink/phases/preemption_retry.h"
#include "shrink/profile/loops.h"

namespace heddle::shrink {

// Of one loop of one thread; indices into its iterations, ascending.
struct Skipped {
  const LoopOfThread* loop;
  std::vector<std::uint32_t> indices;
  bool rest = false;  // and all that the run did not come to: a run that does not fail is the shorter for it
};

// The rest of main's loops is not left out, which starts threads and waits for them.
bool may_skip_rest(const LoopOfThread& loop);

// The iterations for which `is_skipped` holds, without those inside of such ones.
using IsSkipped = std::function<bool(const LoopOfThread&, const Iteration&)>;
std::vector<Skipped> outermost_skipped(const std::vector<LoopOfThread>& loops, const IsSkipped& is_skipped);

// Whether iterations are left out that nothing is known of. To try thousands of blocks in which next to nothing happens
// costs more than it gains: of calls and of loops that are no repetitive blocks only a slice says.
bool is_tried(const LoopOfThread& loop, const Size& size);

// What is left of the schedule without them, which are among `loops`. `threads`: descent names by ThreadId, of the run
// in which the loops were seen.
experiment::Schedule without(const experiment::Schedule& schedule, const std::vector<Skipped>& skipped,
                             const std::vector<LoopOfThread>& loops, const std::vector<std::string>& threads);

// Leaves iterations out of the best execution as far as the criterion holds without them.
class Skipper {
 public:
  // When the second half of the criterion is looked at, which takes a run to the end of the program: of each reduction,
  // or once of all together. It is a property of what is left, not of the way there.
  enum class Sequence { OfEach, AtTheEnd };

  // The run of the best schedule so far in which the loops were seen. All outlive this.
  Skipper(Reduction& reduction, const SequentialOrder& order, const RunProfile& studied,
          Sequence sequence = Sequence::OfEach)
      : reduction_(reduction),
        order_(order),
        studied_(studied),
        sequence_(sequence),
        schedule_(reduction.best.schedule),
        best_(reduction.best) {}

  // All at once or, where it does not hold then, those of counted loops and the others; then half of them and the other
  // half, and so on as long as that is cheap. True: it left out some.
  bool skip(const std::vector<Skipped>& skipped);
  // These, of the execution as it was when this was made. With one preemption: also if the thread has to be stopped at
  // another of its points, at the same place of the program.
  bool holds_without(const std::vector<Skipped>& skipped);
  // The first of `count` sets without which it holds. What makes no run that fails shorter may make those that do not.
  enum class Gain { Shorter, AsLong };
  std::optional<std::size_t> first_that_holds(std::size_t count,
                                              const std::function<std::vector<Skipped>(std::size_t)>& skipped,
                                              Gain gain = Gain::Shorter);
  const FailingRun& best() const { return best_; }
  // Sequence::AtTheEnd: takes what was found. False: it does not pass in sequence, and nothing is taken.
  bool accept();

 private:
  // Definition 2 of the paper, and: who needs preemptions to fail must not fail without them.
  bool is_same_bug(const FailingRun& failing);
  std::vector<experiment::Schedule> stopped_again_without(const experiment::Schedule& left);
  static std::uint64_t points_in(const std::vector<Skipped>& skipped);
  // These as well as what is taken already.
  bool skip_more(std::span<const Skipped> more, std::vector<Skipped>& taken);

  Reduction& reduction_;
  const SequentialOrder& order_;
  const RunProfile& studied_;
  const Sequence sequence_;
  const experiment::Schedule schedule_;
  FailingRun best_;
  std::uint64_t steps_before_ = 0;  // of all runs, when skip() began
  std::optional<OnlyStop> stop_;
  bool is_stop_known_ = false;
  std::size_t stopped_in_vain_ = 0;
};

}  // namespace heddle::shrink
