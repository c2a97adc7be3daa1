#pragma once
// Where plans are tried: does the program still fail in the same way, and does it pass when nothing interferes?
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "run/process/fork_server.h"
#include "binary/program_file.h"
#include "run/run_options.h"
#include "run/runner.h"
#include "shrink/profile/communication.h"
#include "shrink/profile/dependence.h"
#include "shrink/profile/loops.h"
#include "experiment/schedule.h"
#include "shrink/profile/run_observers.h"
#include "slice/slicer.h"

namespace heddle::shrink {

// How large an execution is.
struct Size {
  std::uint32_t threads = 0;
  std::uint64_t events = 0;
  std::uint64_t switches = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t iterations = 0;  // of marked loops, where they were counted
};

// A run that failed in the wanted way, as it went: what was asked for may have been impossible in parts.
struct FailingRun {
  experiment::Schedule plan;
  Size size;
};

// The same, and what was heard of it.
struct RunProfile {
  FailingRun failing;
  LastAccesses accesses;
  Communication communication;
  std::vector<Interference> interferences;  // of those who failed
  std::uint64_t begin_points = 0;     // of main, that were not heard
  std::vector<std::string> threads;   // descent names by ThreadId
  std::vector<std::uint32_t> failed;  // ThreadIds of those who failed, or wait for ever
  std::vector<LoopOfThread> loops;
  DependenceObserver::Count dependence;  // only where it was asked for
};

// What the failure of a run depends on.
struct Sliced {
  slice::Slice slice;
  slice::Slice flow;                 // the same by Relations::Flow
  std::vector<std::string> threads;  // descent names by ThreadId
};

// An order in which threads run until they block, one after the other.
struct SequentialOrder {
  format::StrategyKind strategy = format::StrategyKind::Sequential;
  std::uint64_t seed = 0;
};

class Laboratory {
 public:
  using Clock = std::chrono::steady_clock;

  // `original`: the failing run that is to become smaller. Nothing is tried once `options.stop` requests a stop.
  // REQUIRES: an InterruptGuard that lives as long as this; the thread that made it lives as long, too.
  Laboratory(const binary::ProgramFile& program, const run::RunOptions& options, const run::RunReport& original,
             run::Runner& runner);
  ~Laboratory();

  // As many programs as there are processors. `hosts`: threads that a run is expected to make.
  Status begin(std::uint32_t hosts);

  // The first of `count` plans that fails in the wanted way and for which `holds` is true as well. Several are run at a
  // time; the answer does not depend on how many.
  using Make = std::function<experiment::Schedule(std::size_t)>;
  using Holds = std::function<bool(const FailingRun&)>;
  struct Found {
    std::size_t index;
    FailingRun failing;
  };
  std::optional<Found> first_failing(std::size_t count, const Make& plan, const Holds& holds);

  // The failing run of this plan, once more, unless it is the one that was studied last. Null: it does not fail in the
  // wanted way.
  std::shared_ptr<const RunProfile> profile_run(const experiment::Schedule& plan, bool count_dependences = false);

  // The failing run of this plan, once more and with all that its threads did. nullopt: it does not fail in the wanted way.
  // Where not all sites are armed, what happens at the others is not seen: then it is a guess.
  std::optional<Sliced> slice(const experiment::Schedule& plan);
  // The program was built with HEDDLE_HOOKS=branches.
  bool tells_flow() const { return tells_flow_; }

  // The program was built with marked loops; with anything that can be left out. REQUIRES: a run was studied.
  bool marks_iterations() const { return loop_names_ && std::any_of(loop_names_->begin(), loop_names_->end(), names_counted); }
  bool marks_anything() const { return loop_names_ && !loop_names_->empty(); }

  // Whether the program ends well in this order. If so, learns up to where it did the same as the failing run: the last
  // access of the thread that failed at a site that this run has come to as well. There the failure was checked for,
  // whatever the failing run did afterwards.
  bool learn_check(const SequentialOrder& order, const RunProfile& failing);
  // Another order in which the whole program passes as well: who went first in the failing run may have to go first. At most
  // once, and not where the whole program takes long. REQUIRES: learn_check() was true for this one.
  bool change_order(SequentialOrder& order, const RunProfile& failing);
  // Those from whom the threads that fail have their data when they do not, in an order in which the whole program passes:
  // descent names. Where that is long it takes a run to find out, which is made once, if it can be afforded.
  const std::vector<std::string>& near_when_passing(const SequentialOrder& order, const RunProfile& failing);
  // Ends well when these threads are missing, and has come to the check.
  bool passes(const SequentialOrder& order, const clip::Omitted& omitted);
  // Fails also when nobody is stopped and the threads go on in the order of this plan: then what is left out makes it fail,
  // and not how the threads interleave.
  bool fails_without_stops(const experiment::Schedule& plan);
  // It was not found yet that it does not.
  bool may_pass(const clip::Omitted& omitted) const { return !failing_in_sequence_.contains(experiment::fingerprint({{}, {}, {}, omitted})); }

  // By descent name of the thread: what it comes to at each of its points.
  using Places = std::map<std::string, std::vector<PointPlace>>;
  Result<Places> places_of(const experiment::Schedule& plan);
  // Of all these points those that are wanted.
  using Reached = std::map<std::string, std::vector<ReachedPoint>>;
  Result<Reached> reached_by(const experiment::Schedule& plan, ReachedObserver::IsWanted is_wanted);
  // As places_of(), with their lines, which takes longer than most runs.
  Result<Places> places_with_lines_of(const experiment::Schedule& plan);

  // For runs that are made elsewhere, of the same program with the same options. Where every run has a process of its
  // own there are none.
  bool can_serve() const { return !servers_.empty(); }
  const binary::ProgramFile& program() const { return program_; }
  const run::RunOptions& options() const { return options_; }
  bool may_be_wanted(format::OutcomeKind kind, std::uint64_t key) const;
  // What the failing run of another strategy did. nullopt: it does not fail. REQUIRES: can_serve().
  std::optional<experiment::Schedule> schedule_made_by(const run::SessionInputs& inputs, const clip::Omitted& omitted);
  void count(std::uint64_t steps, std::uint64_t left_out = 0) {
    ++rounds_;
    spend(steps, left_out);
  }

  // Time is up, somebody pressed Ctrl-C, or the program can no longer be started.
  bool stopped() const;
  const std::optional<Error>& error() const { return error_; }
  std::uint64_t rounds() const { return rounds_; }  // plans tried
  std::uint64_t steps() const { return steps_; }    // that all runs made together
  std::uint64_t steps_in_sequence() const { return steps_unavoidable_; }  // of them, of the whole program
  std::uint64_t original_events() const { return original_events_; }
  std::uint64_t last_steps() const { return last_steps_; }  // of the longest of the last runs that were made at a time
  // Whether so many further runs of this length may be made: on short executions nearly always, on long ones while all runs
  // together, but those of the whole program, have not taken a few times the original. Long runs leave something for short
  // ones, which cost little and make the result minimal; where the original takes long these have a bound in time as well.
  bool can_afford(std::uint64_t runs, std::uint64_t events) const { return runs * events <= affordable(events); }
  std::uint64_t affordable(std::uint64_t events = 0) const;  // steps, in runs of this length
  std::uint64_t steps_max() const { return steps_max_; }  // of one run: it is given up beyond
  // Steps that a run of this plan is expected to make.
  std::uint64_t steps_of(const experiment::Schedule& plan) const;

 private:
  struct Attempt {
    run::Outcome outcome;
    std::uint64_t key = 0;
    FailingRun failing;
    std::optional<Error> error;
    std::uint64_t steps = 0;
    std::uint64_t left_out = 0;  // iterations that threads came to and were not made; not counted of a run that is made alone
    bool ended = false;  // by itself: neither interrupted nor out of time
  };
  Attempt serve(run::ForkServer& server, Result<run::SessionInputs> inputs, const clip::Omitted& omitted,
                std::uint64_t steps_max) const;
  // To start a run, to come to what it leaves out, and to record it take as long as some steps more.
  static constexpr std::uint64_t kPlainOfTen = 10;
  void spend(std::uint64_t steps, std::uint64_t left_out = 0, std::uint64_t effort_of_ten = kPlainOfTen);
  // Steps after which a run of this plan, if it has not failed yet, is given up.
  std::uint64_t steps_max_of(const experiment::Schedule& plan) const;
  Attempt run_alone(const experiment::Schedule& plan);
  std::vector<Attempt> run_all(const std::vector<experiment::Schedule>& plans);
  bool is_wanted(const Attempt& attempt, const experiment::Schedule& plan);
  // Without values a recording is a third as long.
  enum class Recording : std::size_t { Accesses, Values };
  struct Recorded {
    run::Outcome outcome;
    bool ended = false;                             // by itself
    const format::SessionResult* result = nullptr;  // valid until the next one
    std::uint64_t begin_step = 0;                   // points of main that were not heard
    format::SessionProgress progress{};
  };
  // Whether it ended well.
  bool run_in_order(const SequentialOrder& order, const clip::Omitted& omitted, Recording what, run::RingSink& sink,
                    format::SessionProgress* progress = nullptr);
  void learn_near(const RunProfile& failing, const Communication& passing, const run::Decisions& decisions);
  static bool names_counted(const std::pair<const std::uint64_t, std::string>& name) { return !is_only_sliced(name.second); }
  Result<Recorded> record(const run::SessionInputs& inputs, Recording what, run::RingSink& sink);

  const binary::ProgramFile& program_;
  const run::RunOptions& options_;
  const run::Outcome wanted_;
  const std::uint64_t original_events_;
  std::uint64_t last_steps_;
  std::uint64_t steps_max_;      // of any run
  std::uint64_t shortest_;       // steps of the shortest run that failed in the wanted way
  // Time that was spent, in steps of runs that are not recorded, the first replay included; and until what was left was small
  // for the first time.
  std::uint64_t effort_;
  std::optional<std::uint64_t> effort_until_small_;
  run::Runner& runner_;
  std::vector<std::unique_ptr<run::ForkServer>> servers_;  // none: every run has a process of its own
  std::array<std::unique_ptr<run::ForkServer>, 2> recording_servers_;  // by Recording
  std::array<run::RunOptions, 2> recording_options_;
  std::uint64_t studied_plan_ = 0;
  std::shared_ptr<const RunProfile> studied_;  // of that plan
  const bool tells_flow_;
  std::unique_ptr<format::SessionResult> recorded_result_;  // of a run that had a process of its own
  const format::SessionResult* last_recorded_ = nullptr;    // of whatever was recorded last
  std::map<std::uint64_t, bool> wanted_keys_;
  std::unordered_set<std::uint64_t> failing_in_sequence_;  // fingerprints of what is omitted
  std::unordered_set<std::uint64_t> failing_without_stops_;  // of plans
  std::unordered_map<std::uint64_t, std::uint64_t> steps_when_passing_;  // by the fingerprint of what is omitted
  bool order_changed_ = false;
  std::unordered_set<std::uint64_t> refuted_;  // fingerprints of plans that did not fail in the wanted way
  std::optional<std::map<std::uint64_t, std::string>> loop_names_;  // by hash
  std::optional<std::vector<std::string>> near_when_passing_;
  std::uint32_t check_site_ = 0;               // 0: not known
  std::optional<Error> error_;
  std::uint64_t rounds_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t steps_unavoidable_ = 0;  // of them, to find an order in which the whole program passes
};

}  // namespace heddle::shrink
