#pragma once
// The program run again under control, by a schedule: what its threads did, and where the point of the crash
// would have been.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "binary/image/core_image.h"
#include "binary/program_file.h"
#include "coredump/index/alignment.h"
#include "experiment/trial_runner.h"
#include "support/result.h"

namespace heddle::coredump {

// One event of a run, with which of its thread's scheduling points it was (or came after).
struct RunEvent {
  std::uint64_t object = 0;  // address; of Fork and Join a ThreadId
  std::uint32_t size = 0;    // bytes of an access
  std::uint32_t point = 0;
  std::uint32_t thread = 0;
  std::uint32_t site = 0;
  format::EventKind kind{};
  bool is_point = false;
  bool failed = false;  // a lock that was tried and not got
};

struct ThreadAlignment {
  std::string thread;  // descent name
  std::optional<AlignedPoint> aligned;
  std::size_t matched = 0;
  // Events of the run before the aligned point; with those of its block where that is exact: the core tells the block,
  // and in it the failing thread has read what it failed by.
  std::size_t position = 0;
  // Points that it had made when it came to where the core shows this very thread; none: nobody knows where.
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
  bool has_blocks = false;  // the program tells its blocks
};

// Threads run until they block or end, the first of these that can go on next. No thread is made to give up its turn,
// however long it takes: fairness would be a preemption that nobody asked for.
using experiment::kUntilBlocked;
experiment::Schedule sequential_schedule(const std::vector<std::string>& threads);

class Reruns {
 public:
  // All outlive this. `flow` is of the program that runs.
  // `others`: where the core shows the threads that did not fail, by descent name.
  Reruns(const binary::ProgramFile& program, const run::RunOptions& options, const FailureIndex& index,
         const std::map<std::string, FailureIndex>& others, ControlFlow& flow, run::Runner& runner);

  // Once it requests a stop, nothing more is run.
  const StopToken& stop() const { return trials_.options().stop; }

  enum class Freed : std::uint8_t { Ends, Ignored };  // what the use of freed memory does to a run

  Result<Rerun> run(const experiment::Schedule& schedule, Freed freed);
  // The image of the program when the thread of this descent name comes to its `ordinal`-th point.
  Result<binary::CoreImage> freeze(const experiment::Schedule& schedule, const std::string& thread,
                                   std::uint64_t ordinal);

 private:
  const binary::ProgramFile& program_;
  const FailureIndex& index_;
  const std::map<std::string, FailureIndex>& others_;
  ControlFlow& flow_;
  experiment::TrialRunner trials_;  // each of its runs is a process
};

}  // namespace heddle::coredump
