#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "experiment/failure_matcher.h"
#include "experiment/trial_runner.h"
#include "shrink/budget.h"

namespace heddle::shrink {

// How large an execution is.
struct Size {
  std::uint32_t threads = 0;
  std::uint64_t events = 0;
  std::uint64_t switches = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t iterations = 0;  // of marked loops; 0 if not counted
};
Size size_of(const format::SessionProgress& progress);

// A run that failed in the wanted way. `schedule` is the one that the run made; parts of the requested schedule may
// have been impossible.
struct FailingRun {
  experiment::Schedule schedule;
  Size size;
};

// Identifies a set of omitted threads and iterations.
std::uint64_t fingerprint_of(const clip::Omitted& omitted);

// Runs candidate schedules and decides whether the program still fails in the wanted way.
//
// Candidates run on copies of fork servers, one server per processor. A run is compared with the wanted failure by its
// failure key, because a signature needs debug information; an unknown key is resolved once, by a run in a process of
// its own. INVARIANT: the result does not depend on the number of processors, because the first candidate in order that
// fails is taken, whichever run ends first.
//
// A candidate that has not failed by the end of its schedule does not run to the end of the program: every run has a
// step limit, derived from its schedule. A refuted schedule is never run twice.
class FailureTrials {
 public:
  // `original`: the failing run to shrink, which must be the last run of `runner`. No run starts after `options.stop`
  // requests a stop. REQUIRES: all arguments outlive this; an InterruptGuard lives as long.
  FailureTrials(const binary::ProgramFile& program, const run::RunOptions& options, const run::RunReport& original,
                run::Runner& runner, Budget& budget);

  // Starts one fork server per processor. `hosts`: threads that a run is expected to create.
  Status start(std::uint32_t hosts);

  // Finds the first of `count` schedules that fails in the wanted way and for which `holds` is true.
  using Make = std::function<experiment::Schedule(std::size_t)>;
  using Holds = std::function<bool(const FailingRun&)>;
  struct Found {
    std::size_t index;
    FailingRun failing;
  };
  std::optional<Found> first_failing(std::size_t count, const Make& schedule, const Holds& holds);
  // True if the program fails even when no thread is preempted and the threads run in the order of this schedule. Then
  // the omission causes the failure, not the interleaving.
  bool fails_without_preemptions(const experiment::Schedule& schedule);
  // True if the run of this schedule failed in the wanted way. Makes another run if only its signature can decide.
  bool is_wanted(const experiment::Trial& trial, const experiment::Schedule& schedule);

  // For other runs of the same program with the same options. False if every run has a process of its own.
  bool can_serve() const { return runners_.front()->server() != nullptr; }
  const binary::ProgramFile& program() const { return program_; }
  const run::RunOptions& options() const { return options_; }
  bool may_be_wanted(const experiment::Trial& trial) const {
    return matcher_.matches(trial.outcome, trial.failure_key).value_or(true);
  }
  // Repeats a failing run of another strategy and returns its schedule; nullopt if it does not fail. REQUIRES:
  // can_serve().
  std::optional<experiment::Schedule> schedule_made_by(const run::SessionInputs& inputs, const clip::Omitted& omitted);

  const run::Outcome& wanted() const { return matcher_.wanted(); }
  // True if a stop is requested or the program can no longer be started.
  bool stopped() const { return error_ || options_.stop.stop_requested(); }
  void fail(Error error) { error_ = std::move(error); }
  const std::optional<Error>& error() const { return error_; }
  std::uint64_t last_steps() const { return last_steps_; }  // of the longest run in the last parallel group
  std::uint64_t steps_max() const { return steps_max_; }    // limit of one run
  // Expected steps of a run of this schedule.
  std::uint64_t steps_of(const experiment::Schedule& schedule) const;
  // Records the steps after which the program passes without these threads and iterations.
  void note_passing(const clip::Omitted& omitted, std::uint64_t steps) {
    steps_when_passing_[fingerprint_of(omitted)] = steps;
  }

 private:
  Result<experiment::Trial> try_one(experiment::TrialRunner& runner, const experiment::Schedule& schedule) const;
  void charge(const Result<experiment::Trial>& trial) {
    budget_.count_rounds(1);
    budget_.spend(trial ? trial->steps : 0, trial ? trial->progress.iterations_left_out : 0);
  }
  std::vector<Result<experiment::Trial>> try_all(const std::vector<experiment::Schedule>& schedules);
  // Step limit of a run of this schedule.
  std::uint64_t steps_max_of(const experiment::Schedule& schedule) const;

  const binary::ProgramFile& program_;
  const run::RunOptions& options_;
  run::Runner& runner_;
  Budget& budget_;
  experiment::FailureMatcher matcher_;
  std::vector<std::unique_ptr<experiment::TrialRunner>> runners_;  // one for each processor
  experiment::TrialRunner apart_;                                  // runs each schedule in a process of its own
  std::uint64_t last_steps_;
  std::uint64_t steps_max_;
  std::unordered_map<std::uint64_t, std::uint64_t> steps_when_passing_;  // by fingerprint of the omission
  std::unordered_set<std::uint64_t> refuted_;  // fingerprints of schedules that did not fail in the wanted way
  std::unordered_set<std::uint64_t> failing_without_preemptions_;
  std::optional<Error> error_;
};

}  // namespace heddle::shrink
