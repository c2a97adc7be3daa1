#pragma once
// Tries schedules: does the program still fail in the wanted way?
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
  std::uint64_t iterations = 0;  // of marked loops, where they were counted
};
Size size_of(const format::SessionProgress& progress);

// A run that failed in the wanted way, as it went: what was asked for may have been impossible in parts.
struct FailingRun {
  experiment::Schedule schedule;
  Size size;
};

// Identifies what is omitted.
std::uint64_t fingerprint_of(const clip::Omitted& omitted);

class FailureTrials {
 public:
  // `original`: the failing run that is to become smaller, made by `runner` last. Nothing is tried once `options.stop`
  // requests a stop. REQUIRES: all outlive this; an InterruptGuard lives as long.
  FailureTrials(const binary::ProgramFile& program, const run::RunOptions& options, const run::RunReport& original,
                run::Runner& runner, Budget& budget);

  // As many programs as there are processors. `hosts`: threads that a run is expected to make.
  Status start(std::uint32_t hosts);

  // The first of `count` schedules that fails in the wanted way and for which `holds` is true as well. Several are run
  // at a time; the answer does not depend on how many.
  using Make = std::function<experiment::Schedule(std::size_t)>;
  using Holds = std::function<bool(const FailingRun&)>;
  struct Found {
    std::size_t index;
    FailingRun failing;
  };
  std::optional<Found> first_failing(std::size_t count, const Make& schedule, const Holds& holds);
  // Fails also when no thread is stopped and the threads continue in the order of this schedule: then what is omitted
  // makes it fail, and not how the threads interleave.
  bool fails_without_stops(const experiment::Schedule& schedule);
  // The run of this schedule ended as wanted. Makes a run of its own where only its signature can tell.
  bool is_wanted(const experiment::Trial& trial, const experiment::Schedule& schedule);

  // For runs that are made elsewhere, of the same program with the same options. Where every run has a process of its
  // own there are none.
  bool can_serve() const { return runners_.front()->server() != nullptr; }
  const binary::ProgramFile& program() const { return program_; }
  const run::RunOptions& options() const { return options_; }
  bool may_be_wanted(const experiment::Trial& trial) const {
    return matcher_.matches(trial.outcome, trial.failure_key).value_or(true);
  }
  // What the failing run of another strategy did. nullopt: it does not fail. REQUIRES: can_serve().
  std::optional<experiment::Schedule> schedule_made_by(const run::SessionInputs& inputs, const clip::Omitted& omitted);

  const run::Outcome& wanted() const { return matcher_.wanted(); }
  // A stop is requested, or the program can no longer be started.
  bool stopped() const { return error_ || options_.stop.stop_requested(); }
  void fail(Error error) { error_ = std::move(error); }
  const std::optional<Error>& error() const { return error_; }
  std::uint64_t last_steps() const { return last_steps_; }  // of the longest of the last runs that were made at a time
  std::uint64_t steps_max() const { return steps_max_; }    // of one run: it is given up beyond
  // Steps that a run of this schedule is expected to make.
  std::uint64_t steps_of(const experiment::Schedule& schedule) const;
  // The program without what is omitted passes after so many steps.
  void note_passing(const clip::Omitted& omitted, std::uint64_t steps) {
    steps_when_passing_[fingerprint_of(omitted)] = steps;
  }

 private:
  Result<experiment::Trial> try_one(experiment::TrialRunner& runner, const experiment::Schedule& schedule) const;
  std::vector<Result<experiment::Trial>> try_all(const std::vector<experiment::Schedule>& schedules);
  // Steps after which a run of this schedule, if it has not failed yet, is given up.
  std::uint64_t steps_max_of(const experiment::Schedule& schedule) const;

  const binary::ProgramFile& program_;
  const run::RunOptions& options_;
  run::Runner& runner_;
  Budget& budget_;
  experiment::FailureMatcher matcher_;
  std::vector<std::unique_ptr<experiment::TrialRunner>> runners_;  // one for each processor
  experiment::TrialRunner apart_;                                  // each of its runs is a process
  std::uint64_t last_steps_;
  std::uint64_t steps_max_;
  std::unordered_map<std::uint64_t, std::uint64_t> steps_when_passing_;  // by the fingerprint of what is omitted
  std::unordered_set<std::uint64_t> refuted_;  // fingerprints of schedules that did not fail in the wanted way
  std::unordered_set<std::uint64_t> failing_without_stops_;
  std::optional<Error> error_;
};

}  // namespace heddle::shrink
