#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shrink/failure_trials.h"
#include "shrink/profile/communication.h"
#include "shrink/profile/execution_reduction.h"
#include "shrink/profile/loops.h"
#include "shrink/profile/run_observers.h"
#include "shrink/recorder.h"
#include "slice/slicer.h"

namespace heddle::shrink {

// A failing run together with its recorded profile.
struct FailureProfile {
  FailingRun failing;
  LastAccesses accesses;
  Communication communication;
  std::vector<Interference> interferences;  // of the threads that failed
  std::uint64_t begin_points = 0;           // points of main before the recording
  std::vector<std::string> threads;         // descent names by ThreadId
  std::vector<std::uint32_t> failed;        // ThreadIds of the threads that failed or wait forever
  std::vector<LoopOfThread> loops = {};
  ExecutionReduction::Count dependence = {};  // only if requested
};

// The slices of a failing run.
struct Sliced {
  slice::Slice slice;                // by Relations::All
  slice::Slice flow;                 // by Relations::Flow
  std::vector<std::string> threads;  // descent names by ThreadId
};

// Repeats failing runs with recording, to learn more than their outcome: which threads used which threads' data, which
// loops were entered, what the failure depends on, where the scheduling points are. The result guides the phases before
// any candidate runs; the criterion still decides about every candidate.
//
// profile_run() records values and makes all observations in one run; the last profile is cached, because several
// phases in a row need the profile of the same schedule. slice() needs a process of its own: it records blocks as well,
// and a fork server is started with its recording flags.
class RunProfiler {
 public:
  RunProfiler(FailureTrials& trials, Recorder& recorder, run::Runner& runner, Budget& budget);

  // Profiles the failing run of this schedule. Null if it does not fail in the wanted way.
  std::shared_ptr<const FailureProfile> profile_run(const experiment::Schedule& schedule,
                                                    bool count_dependences = false);

  // Slices the failing run of this schedule. nullopt if it does not fail in the wanted way. The result is a guess if
  // not all sites are armed, because events at other sites are not recorded.
  std::optional<Sliced> slice(const experiment::Schedule& schedule);
  // True if the program was built with HEDDLE_HOOKS=branches.
  bool has_flow_table() const { return has_flow_table_; }

  // True if the program was built with marked loops, or with any code that can be skipped. REQUIRES: a run was
  // profiled.
  bool marks_iterations() const;
  bool marks_anything() const { return loop_names_ && !loop_names_->empty(); }

  // By descent name of the thread.
  using Places = std::map<std::string, std::vector<PointPlace>>;
  using Reached = std::map<std::string, std::vector<ReachedPoint>>;
  // The place of each scheduling point of the run, without lines.
  Result<Places> places_of(const experiment::Schedule& schedule);
  // With lines, which takes longer than most runs.
  Result<Places> places_with_lines_of(const experiment::Schedule& schedule);
  // The wanted points only, because keeping all of them takes longer than the run.
  Result<Reached> reached_by(const experiment::Schedule& schedule,
                             const std::function<bool(const ReachedPoint&)>& is_wanted);

 private:
  Result<experiment::Trial> record(const experiment::Schedule& schedule, run::RingSink& sink);

  FailureTrials& trials_;
  Recorder& recorder_;
  Budget& budget_;
  experiment::TrialRunner apart_;  // for slices
  const bool has_flow_table_;
  std::uint64_t profiled_schedule_ = 0;                             // fingerprint
  std::shared_ptr<const FailureProfile> profile_;                   // of that schedule
  std::optional<std::map<std::uint64_t, std::string>> loop_names_;  // by hash
};

}  // namespace heddle::shrink
