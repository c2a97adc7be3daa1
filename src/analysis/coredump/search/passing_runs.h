#pragma once
// Finds passing runs of the program, in orders from which a few preemptions can lead to the failure.
//
// Most orders are sequential. In a sequential run only threads with remaining work can interfere with a preempted
// thread, so there are two orders. With the failing thread *first*, as soon as all threads exist, a preemption of that
// thread lets the others overwrite its unfinished update. With the failing thread *last*, a preemption of another
// thread exposes that thread's unfinished update to the failing thread. The paper has one passing run, in the order of
// the scheduler.
//
// Before these, the program is run with all other threads stopped at their positions in the core: that may already
// reproduce the failure.
//
// If threads share a queue of work, one thread does all the work in both orders. Then the program is run *in slices*,
// in which all threads advance at the same rate.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "coredump/search/rerun.h"

namespace heddle::coredump {

enum class ThreadOrder : std::uint8_t { OneAfterTheOther, FailingFirst, FailingLast, InSlices, AnotherStopped };

struct PassingRun {
  ThreadOrder order = ThreadOrder::OneAfterTheOther;
  experiment::Schedule schedule;  // the input of the run
  Rerun run;
  AlignedPoint aligned;
  std::string thread;              // descent name of the aligned thread
  std::uint32_t thread_index = 0;  // in Rerun::decisions.threads
  std::size_t position = 0;        // ThreadAlignment::position
};

struct PassingRuns {
  std::vector<PassingRun> runs;
  std::optional<Rerun> reproduced;  // a run that fails as the core does; `runs` is then empty
};

// The goal: to reproduce the failure in any way, or to find passing runs even if some order reproduces the failure.
enum class Wanted : std::uint8_t { Failure, PassingRuns };

// A run that has passed, with the thread that is best aligned with the failure; none: no thread is aligned.
// `thread`: the failing thread's descent name, or empty.
std::optional<PassingRun> passing_run(ThreadOrder order, const experiment::Schedule& schedule, Rerun run,
                                      const std::string& thread);

// The positions of the core's threads in a run, by thread.
struct CorePositions {
  // In the events of the run. Of a thread with an unknown position: the aligned point. Of the failing thread: the least
  // of all, because from there on the run differs from the core.
  std::vector<std::size_t> positions;
  std::map<std::uint32_t, std::uint32_t> stops;  // of the other threads: the point before which the thread stands
  bool any = false;                              // the position of another thread is known
};
// If the core has the indices of all its threads, other threads of the run have ended.
CorePositions find_core_positions(const PassingRun& passing, const CoreFacts& core);

// `thread`: the failing thread's descent name, or empty. Fails if no order passes, or if no thread is aligned.
using SameFailure = std::function<bool(const Rerun&)>;
Result<PassingRuns> find_passing_runs(Reruns& reruns, const std::string& program, const std::string& thread,
                                      const SameFailure& is_same_failure, Wanted wanted);

// At most one run in slices; none if no number of slices passes. `like`: a passing run.
Result<PassingRuns> find_sliced_run(Reruns& reruns, const std::string& program, const std::string& thread,
                                    const SameFailure& is_same_failure, Wanted wanted, const Rerun& like);

}  // namespace heddle::coredump
