#include "breakpoints/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <tuple>

#include "breakpoints/conflict_finder.h"
#include "breakpoints/heuristics.h"
#include "explain/trials/program_oracle.h"
#include "run/replay/clip_builder.h"
#include "support/counted.h"
#include "support/duration.h"

namespace heddle::breakpoints {
namespace {

using experiment::Activity;
using Clock = std::chrono::steady_clock;

// The name for the breakpoints: "kernel" for "build/kernels/StringBuf/kernel".
std::string stem_of(const std::string& program) {
  std::string stem = std::filesystem::path(program).filename().string();
  std::ranges::replace_if(stem, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return stem;
}

// Records the failing run, collects candidate rendezvous, and searches the smallest set that makes the program fail. A
// set is accepted in three steps of rising cost: a few controlled schedules rank it, kSchedules controlled schedules
// must all hit the breakpoints and fail, and then all native runs must. Controlled schedules come first because they
// separate sets that cause the failure from sets that only make it likely on this machine.
class Generating {
 public:
  Generating(const clip::Clip& clip, const GenerateOptions& options, const experiment::ShowProgress& show)
      : clip_(clip), options_(options), show_(show) {}

  Result<Generated> run() {
    Result<run::RunOptions> replay = run::replay_options(clip_, options_.replay);
    if (!replay) return replay.error();
    run_options_ = std::move(*replay);
    run_options_.engine = format::EngineKind::Fiber;
    const Result<explain::ObservedPtr> failing = record();
    if (!failing) return failing.error();
    show_({Activity::LookingForConflicts});
    Sources sources(options_.patch_root, run_options_.program);
    const std::vector<Rendezvous> candidates =
        find_rendezvous(**failing, *oracle_, options_.wants_patch ? &sources : nullptr);
    generated_.candidates = candidates.size();
    generated_.set.name = stem_of(run_options_.program);
    generated_.set.timeout_ms = kTimeoutMs;
    generated_.program = run_options_.program;
    if (Status searched = search(candidates); !searched) return searched.error();
    generated_.thread_names = oracle_->threads().names();
    generated_.runs_made = trials_->runs_made();
    generated_.seconds = seconds_since(begin_);
    return std::move(generated_);
  }

 private:
  // Arms every site if the run also fails then: a function without an armed site runs in its version without hooks, and
  // its calls there are not those at which breakpoints are injected.
  Result<explain::ObservedPtr> record() {
    show_({Activity::ReplayingClip});
    const run::RunOptions as_recorded = run_options_;
    Result<run::SessionInputs> by_site = run::site_replay_inputs(clip_, run_options_);
    if (!by_site) return by_site.error();
    run_options_.arm_mode = format::ArmMode::All;
    run_options_.armed.clear();
    Result<explain::Recording> recording = replay(format::StrategyKind::ReplayBySite, *by_site);
    if (!recording && !stop_.is_interrupted() && run::same_build(clip_, as_recorded)) {
      run_options_ = as_recorded;
      recording = replay(format::StrategyKind::Replay, run::replay_inputs(clip_));
    }
    if (!recording) return recording.error();
    const run::RunReport& report = recording->report;
    generated_.outcome = report.outcome;
    oracle_->set_failure(report.outcome);
    oracle_->set_choices(recording->choices);
    trials_ = std::make_unique<Trials>(run_options_, report.outcome.kind, oracle_->runner());
    trials_->set_length(recording->events.size());
    return explain::observe(std::move(*recording));
  }

  // An error if the run does not fail.
  Result<explain::Recording> replay(format::StrategyKind strategy, const Result<run::SessionInputs>& inputs) {
    if (!inputs) return inputs.error();
    oracle_.reset();
    Result<std::unique_ptr<explain::ProgramOracle>> oracle = explain::ProgramOracle::open(run_options_, options_.time);
    if (!oracle) return oracle.error();
    oracle_ = std::move(*oracle);
    run::RunOptions options = run_options_;
    options.strategy = strategy;
    Result<explain::Recording> recording = oracle_->record_inputs(options, *inputs);
    if (!recording) return recording.error();
    const run::RunReport& report = recording->report;
    if (report.interrupted) return Error{"interrupted"};
    if (report.divergence)
      return Error{"the clip does not replay: " + report.divergence->what + "; see: heddle replay",
                   ExitCode::Uncontrolled};
    if (!report.outcome.failed())
      return Error{"the clip's program did not fail, so there is nothing to reproduce", ExitCode::Found};
    return recording;
  }

  // A tried set; the more schedules failed with it, the more promising it is.
  struct TriedSet {
    std::vector<std::size_t> members;  // indices of candidates, ascending
    TrialCounts counts;
  };

  // True if the set is accepted.
  Result<bool> try_set(const std::vector<Rendezvous>& candidates, TriedSet& tried) {
    BreakpointSet set = generated_.set;
    for (const std::size_t member : tried.members) set.meetings.push_back(candidates[member]);
    std::optional<SourcePatch> patch;
    if (options_.wants_patch) {
      Result<SourcePatch> made = make_source_patch(set, options_.patch_root, generated_.program);
      if (!made) {
        note_problem(made.error().message);
        return false;
      }
      patch = std::move(*made);
    }
    const Result<TrialCounts> first = trials_->in_schedules(set, kSchedulesOfSearch, kMissesOfSearch);
    if (!first) return first.error();
    tried.counts = *first;
    if (first->both < kSchedulesOfSearch) return false;
    const Result<TrialCounts> all = trials_->in_schedules(set, kSchedules, 0);
    if (!all) return all.error();
    if (all->both < kSchedules) return false;
    for (const int runs : {kRunsOfSearch, options_.runs}) {
      const Result<TrialCounts> native = trials_->natively(set, runs, 0);
      if (!native) return native.error();
      if (native->both == runs) continue;
      note_problem(fmt::format("a set of {} fails in every controlled schedule, but not in every native run",
                               counted(set.meetings.size(), "breakpoint")));
      return false;
    }
    generated_.set = std::move(set);
    generated_.patch = std::move(patch);
    generated_.runs = options_.runs;
    return true;
  }

  void note_problem(const std::string& problem) {
    if (std::find(generated_.problems.begin(), generated_.problems.end(), problem) == generated_.problems.end())
      generated_.problems.push_back(problem);
  }

  // Tries sets by size: single breakpoints, then the best sets of one size with one more breakpoint each. Therefore the
  // first accepted set is one of the smallest.
  Status search(const std::vector<Rendezvous>& candidates) {
    std::vector<TriedSet> bases{{}};
    for (std::size_t size = 1; size <= std::min(kSizeMax, candidates.size()) && !stop_.stop_requested(); ++size) {
      std::set<std::vector<std::size_t>> seen;
      std::vector<TriedSet> level;
      for (const TriedSet& base : bases) {
        for (std::size_t i = 0; i < candidates.size() && !stop_.stop_requested(); ++i) {
          if (std::find(base.members.begin(), base.members.end(), i) != base.members.end()) continue;
          TriedSet tried = base;
          tried.members.insert(std::upper_bound(tried.members.begin(), tried.members.end(), i), i);
          if (!seen.insert(tried.members).second) continue;
          show_({Activity::TryingBreakpoints, seen.size(), size});
          const Result<bool> found = try_set(candidates, tried);
          if (!found) return found.error();
          if (*found) return ok_status();
          if (size == 1) generated_.tried.push_back({candidates[i], tried.counts});
          if (tried.counts.runs != 0) level.push_back(std::move(tried));
        }
      }
      std::sort(level.begin(), level.end(), [](const TriedSet& a, const TriedSet& b) {
        return std::tie(b.counts.both, b.counts.hit, a.members) < std::tie(a.counts.both, a.counts.hit, b.members);
      });
      if (level.size() > kExtendedSetsMax) level.resize(kExtendedSetsMax);
      bases = std::move(level);
    }
    return ok_status();
  }

  const clip::Clip& clip_;
  const GenerateOptions& options_;
  const experiment::ShowProgress& show_;
  const Clock::time_point begin_ = Clock::now();
  const StopToken stop_ = options_.replay.stop.until(begin_ + options_.time);
  run::RunOptions run_options_;
  std::unique_ptr<explain::ProgramOracle> oracle_;
  std::unique_ptr<Trials> trials_;
  Generated generated_;
};

}  // namespace

Result<Generated> generate(const clip::Clip& clip, const GenerateOptions& options,
                           const experiment::ShowProgress& show) {
  return Generating(clip, options, show).run();
}

}  // namespace heddle::breakpoints
