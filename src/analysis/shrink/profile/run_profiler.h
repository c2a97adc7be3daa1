#pragma once
// What a failing run did, beyond its outcome: who used whose data, which loops were entered, what the failure depends
// on.
#include <cstdint>
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
struct RunProfile {
  FailingRun failing;
  LastAccesses accesses;
  Communication communication;
  std::vector<Interference> interferences;  // of the threads that failed
  std::uint64_t begin_points = 0;           // of main, before the recording begins
  std::vector<std::string> threads;         // descent names by ThreadId
  std::vector<std::uint32_t> failed;        // ThreadIds of the threads that failed, or wait forever
  std::vector<LoopOfThread> loops;
  ExecutionReduction::Count dependence;  // only where it was asked for
};

// What the failure of a run depends on.
struct Sliced {
  slice::Slice slice;
  slice::Slice flow;                 // the same by Relations::Flow
  std::vector<std::string> threads;  // descent names by ThreadId
};

class RunProfiler {
 public:
  RunProfiler(FailureTrials& trials, Recorder& recorder, run::Runner& runner, Budget& budget);

  // The failing run of this schedule, once more, unless it is the last one that was profiled. Null: it does not fail in
  // the wanted way.
  std::shared_ptr<const RunProfile> profile_run(const experiment::Schedule& schedule, bool count_dependences = false);

  // The failing run of this schedule, once more and with all that its threads did. nullopt: it does not fail in the
  // wanted way. Where not all sites are armed, what happens at the others is not seen: then it is a guess.
  std::optional<Sliced> slice(const experiment::Schedule& schedule);
  // The program was built with HEDDLE_HOOKS=branches.
  bool tells_flow() const { return tells_flow_; }

  // The program was built with marked loops; with anything that can be skipped. REQUIRES: a run was profiled.
  bool marks_iterations() const;
  bool marks_anything() const { return loop_names_ && !loop_names_->empty(); }

  // By descent name of the thread: what each of its points is.
  using Places = std::map<std::string, std::vector<PointPlace>>;
  Result<Places> places_of(const experiment::Schedule& schedule);
  // Of all these points those that are wanted.
  using Reached = std::map<std::string, std::vector<ReachedPoint>>;
  Result<Reached> reached_by(const experiment::Schedule& schedule, ReachedObserver::IsWanted is_wanted);
  // As places_of(), with their lines, which takes longer than most runs.
  Result<Places> places_with_lines_of(const experiment::Schedule& schedule);

 private:
  Result<experiment::Trial> record(const experiment::Schedule& schedule, run::RingSink& sink);

  FailureTrials& trials_;
  Recorder& recorder_;
  Budget& budget_;
  experiment::TrialRunner apart_;  // for slices
  const bool tells_flow_;
  std::uint64_t profiled_schedule_ = 0;                             // fingerprint
  std::shared_ptr<const RunProfile> profile_;                       // of that schedule
  std::optional<std::map<std::uint64_t, std::string>> loop_names_;  // by hash
};

}  // namespace heddle::shrink
