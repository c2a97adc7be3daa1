#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "binary/image/core_image.h"
#include "binary/program_file.h"
#include "coredump/index/alignment.h"
#include "coredump/index/failing_core.h"
#include "experiment/trial_runner.h"
#include "support/result.h"

namespace heddle::coredump {

// An event of a run. All events of several runs are in memory at once, so this type stays beside trace::Event (40
// bytes), which also lacks the number of the point.
struct RunEvent {
  std::uint64_t object = 0;  // address; of Fork and Join a ThreadId
  std::uint32_t size = 0;    // bytes of an access
  std::uint32_t point = 0;   // the thread's last scheduling point, from 1, which may be the event itself
  std::uint32_t thread = 0;
  format::EventKind kind{};
  bool failed = false;  // a try-lock without success
};
static_assert(sizeof(RunEvent) == 24);

struct ThreadAlignment {
  std::string thread;  // descent name
  std::optional<AlignedPoint> aligned;
  // Events of the run before the aligned point. If that is exact, the events of its block are included: the core shows
  // only the block, and in it the failing thread has read the value that it fails by.
  std::size_t position = 0;
  // Points of the thread before its position in the core; none: unknown.
  std::optional<std::uint32_t> points_in_core;
};

struct Rerun {
  run::Outcome outcome;
  std::vector<binary::SourceFrame> stack;  // of the failure
  std::vector<RunEvent> events;
  std::vector<ThreadAlignment> alignments;  // by thread
  run::Decisions decisions;
  experiment::Schedule schedule;
  std::uint64_t steps = 0;
  double seconds = 0;
  bool has_blocks = false;  // the program reports the blocks that it enters
};

using experiment::kUntilBlocked;

// Runs each thread until it blocks or ends; the next one is the first that can run. There is no fairness, which would
// preempt a thread that takes long.
experiment::Schedule sequential_schedule(const std::vector<std::string>& threads);
void append_sequential_turns(experiment::Schedule& schedule);
// The number of a thread in the schedule's turns; their count if the schedule does not have the thread.
std::uint32_t index_of(const experiment::Schedule& schedule, const std::string& thread);

// Runs the program again under control by a schedule, and aligns each thread with the core: with the failure's index,
// and with the index of its own position. Each run has a process of its own, like the run of a clip, so that memory has
// the same content in each run of a schedule.
class Reruns {
 public:
  // REQUIRES: all arguments outlive this; `flow` is of the program that runs.
  Reruns(const binary::ProgramFile& program, const run::RunOptions& options, const CoreFacts& core, ControlFlow& flow,
         run::Runner& runner);

  const StopToken& stop() const { return trials_.options().stop; }

  enum class Freed : std::uint8_t { Ends, Ignored };  // the effect of a use of freed memory on a run

  Result<Rerun> run(const experiment::Schedule& schedule, Freed freed);
  // The image of the program when the thread of this descent name reaches its `ordinal`-th point.
  Result<binary::CoreImage> freeze(const experiment::Schedule& schedule, const std::string& thread,
                                   std::uint64_t ordinal);

 private:
  const binary::ProgramFile& program_;
  const CoreFacts& core_;
  ControlFlow& flow_;
  experiment::TrialRunner trials_;
};

}  // namespace heddle::coredump
