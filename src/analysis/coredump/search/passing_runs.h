#pragma once
// The program run again until it passes, in orders that leave room for what went wrong.
//
// All orders are sequential, and in a sequential run a thread can only be disturbed by those that still have something
// to do. So there are two: with the failing thread *first*, as soon as all threads are there, a preemption of it lets
// the others in, as when they spoilt what it had begun; with the failing thread *last*, a preemption of another one
// shows what that had begun to the failing thread. The paper has one passing run, in the order of the scheduler.
//
// Before them it is run with all other threads stopped where the core shows them: that may fail at once.
//
// Where threads share one stock of work, in both of these one of them does it all. Then it is run *in slices*: all
// threads advance alike.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "coredump/search/rerun.h"

namespace heddle::coredump {

// In which order a run's threads were executed.
enum class ThreadOrder : std::uint8_t { OneAfterTheOther, FailingFirst, FailingLast, InSlices, AnotherStopped };

struct PassingRun {
  ThreadOrder order = ThreadOrder::OneAfterTheOther;
  experiment::Schedule schedule;  // which asks for it
  Rerun run;
  AlignedPoint aligned;
  std::string thread;              // that is aligned: descent name
  std::uint32_t thread_index = 0;  // of Rerun::decisions.threads
  std::size_t position = 0;        // events of the run before the aligned point
};

struct PassingRuns {
  std::vector<PassingRun> runs;
  std::optional<Rerun> reproduced;  // it fails by itself as the core says; then there are no runs
};

// What is asked for: the failure, however it comes about, or runs to search from, also where some order fails by
// itself.
enum class Wanted : std::uint8_t { Failure, PassingRuns };

// A run that has passed, with the thread that comes nearest to the core's; none: no thread does what that one did.
// `thread`: the failing one's descent name, or empty.
std::optional<PassingRun> passing_run(ThreadOrder order, const experiment::Schedule& schedule, Rerun run,
                                      const std::string& thread);

// Where the core shows the threads of a run, by thread.
struct CorePositions {
  // Among the events; of those that are not known the aligned point; of the failing thread the first of all, after
  // which the run is another one than the core shows.
  std::vector<std::size_t> positions;
  std::map<std::uint32_t, std::uint32_t>
      stops;         // the point before which a thread stands that did not fail and is there
  bool any = false;  // something is known of another thread
};
// `others`: indices of threads that did not fail; `all_known`: there are no more threads in the core, so that the
// others have ended.
CorePositions places_in_core(const PassingRun& passing, const std::map<std::string, FailureIndex>& others,
                             bool all_known);

// `thread`: the failing one's descent name, or empty. Fails when it passes in no order, or no thread does what the one
// in the core did.
using FailsAlike = std::function<bool(const Rerun&)>;
Result<PassingRuns> find_passing_runs(Reruns& reruns, const std::string& program, const std::string& thread,
                                      const FailsAlike& fails_alike, Wanted wanted);

// In slices; at most one, none where no length of slices passes. `like`: a run that has passed.
Result<PassingRuns> find_sliced_run(Reruns& reruns, const std::string& program, const std::string& thread,
                                    const FailsAlike& fails_alike, Wanted wanted, const Rerun& like);

}  // namespace heddle::coredump
