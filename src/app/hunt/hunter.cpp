#include "hunt/hunter.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "breakpoints/generator.h"
#include "clip/clip_reader.h"
#include "explain/explainer.h"
#include "explore/explorer.h"
#include "hunt/heuristics.h"
#include "run/interrupt.h"
#include "shrink/shrinker.h"
#include "support/duration.h"
#include "support/files.h"
#include "validate/prediction.h"

namespace heddle::hunt {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Identifies a cause: its kind and lines, without the threads of this run.
using CauseKey = std::pair<explain::CauseKind, std::set<std::tuple<std::string, std::uint32_t>>>;

CauseKey key_of(const explain::Cause& cause) {
  CauseKey key{cause.kind, {}};
  for (const explain::CauseAccess& access : cause.accesses) key.second.emplace(access.place.file, access.place.line);
  return key;
}

std::optional<clip::Clip> read_complete_clip(const std::string& path) {
  Result<clip::ClipReading> reading = clip::read_clip(path);
  return reading && reading->clip.end ? std::optional(std::move(reading->clip)) : std::nullopt;
}

class Hunter {
 public:
  Hunter(const HuntOptions& options, const HuntObserver& observer) : options_(options), observer_(observer) {}

  Result<HuntReport> run() {
    if (Status explored = explore(part(kFirstSearch), options_.seed, true); !explored) return explored.error();
    const bool enough = options_.stop_at_first && !report_.bugs.empty();
    if (!enough && going_on()) predict();
    for (std::uint64_t seed = options_.seed + 1; may_search_on(); ++seed) {
      if (Status explored = explore(search_time(), seed, options_.stop_at_first); !explored) {
        report_.problems.push_back(explored.error().message);
        break;
      }
    }
    put_early_timeouts_last();
    report_.interrupted = options_.run.stop.is_interrupted();
    report_.out_of_time = !report_.interrupted && !complete_ && !(options_.stop_at_first && !report_.bugs.empty());
    report_.seconds = seconds_since(begin_);
    return std::move(report_);
  }

 private:
  void put_early_timeouts_last() {
    std::vector<Bug> ranked;
    for (const bool early : {false, true})
      for (Bug& bug : report_.bugs)
        if (bug.early_timeout == early) ranked.push_back(std::move(bug));
    report_.bugs = std::move(ranked);
  }

  milliseconds part(double share) const {
    return std::max(milliseconds(static_cast<long>(share * static_cast<double>(options_.time.count()))), kSearchMin);
  }
  milliseconds left() const {
    const auto passed = std::chrono::duration_cast<milliseconds>(Clock::now() - begin_);
    return std::max(options_.time - passed, milliseconds{0});
  }
  bool going_on() const { return !stop_.stop_requested(); }
  bool may_search_on() const {
    const bool enough = options_.stop_at_first && !report_.bugs.empty();
    return !enough && !complete_ && left() > kSearchMin && going_on();
  }
  milliseconds search_time() const {
    const auto examination = std::chrono::duration_cast<milliseconds>(left() * kExamination);
    return std::max(left() - std::min(examination, kExaminationMax), kSearchMin);
  }

  template <typename Doing>
  void show(HuntPhase phase, const std::string& signature, const Doing& doing) const {
    if (observer_.show) observer_.show({phase, report_.bugs.size(), signature, doing});
  }

  std::string clips_folder() const { return (std::filesystem::path(options_.out_directory) / "clips").string(); }

  Status explore(milliseconds time, std::uint64_t seed, bool until_first) {
    explore::ExploreOptions search;
    search.run = options_.run;
    search.run.stop = stop_;
    search.seed = seed;
    search.jobs = options_.jobs;
    search.runs = ~std::uint64_t{0};
    search.time = time;
    search.keep_going = !until_first;
    search.out_directory = clips_folder();
    const std::uint64_t before = report_.schedules;
    const auto show_search = [&](explore::Progress progress) {
      progress.schedules += before;
      show(HuntPhase::Explore, "", progress);
    };
    Result<explore::ExploreReport> explored = explore::explore(search, show_search);
    if (!explored) return explored.error();
    explore::Progress last;  // the search may have ended before it showed any progress
    last.schedules = explored->schedules;
    last.covered_pairs = explored->covered_pairs;
    last.failures = explored->failures.size();
    show_search(last);
    report_.schedules += explored->schedules;
    report_.distinct_schedules += explored->distinct_schedules;
    complete_ = complete_ || explored->complete;
    if (explored->units.count > report_.units.count) report_.units = std::move(explored->units);
    for (std::string& problem : explored->problems) report_.problems.push_back(std::move(problem));
    if (explored->schedules != 0) report_.seconds_per_run = explored->seconds_per_run;
    for (const explore::Failure& failure : explored->failures)
      take(failure.outcome, failure.clip, "explore", failure.early_timeout);
    return ok_status();
  }

  void predict() {
    validate::PredictionOptions prediction;
    prediction.run = options_.run;
    prediction.run.stop = stop_;
    prediction.validation.out_directory = clips_folder();
    prediction.validation.jobs = options_.jobs;
    prediction.validation.seed = options_.seed;
    prediction.time = std::min(part(kPrediction), std::max(left(), kSearchMin));
    prediction.validation.clips_of_benign = false;
    Result<validate::PredictionReport> predicted =
        validate::predict_program(prediction, [&](const auto& progress) { show(HuntPhase::Predict, "", progress); });
    if (!predicted) {
      report_.problems.push_back("nothing was predicted: " + predicted.error().message);
      return;
    }
    report_.confirmed_anomalies = predicted->count(validate::ValidationStatus::Confirmed);
    for (const validate::Anomaly& anomaly : predicted->anomalies)
      if (anomaly.verdict.failure && !anomaly.verdict.clip.empty())
        take(*anomaly.verdict.failure, anomaly.verdict.clip, "predict", anomaly.verdict.early_timeout);
  }

  // Examines a failure, and adds it to the report: as a new bug, or to the bug with the same cause. A failure without
  // an early time-out replaces the bug with the same signature that needs one.
  void take(const run::Outcome& outcome, const std::string& clip, const char* found_by, bool early_timeout) {
    if (!signatures_.insert(outcome.signature).second) {
      const auto known = std::ranges::find_if(report_.bugs, [&](const Bug& bug) {
        return bug.outcome.signature == outcome.signature && bug.early_timeout;
      });
      if (known == report_.bugs.end() || early_timeout || clip.empty() || !going_on()) return;
      report_.bugs.erase(known);
    }
    Bug bug;
    bug.early_timeout = early_timeout;
    bug.outcome = outcome;
    bug.clip = clip;
    bug.found_by = found_by;
    if (clip.empty()) {
      bug.problems.push_back({BugProblem::Kind::NoClip, ""});
    } else if (going_on()) {
      shrink(bug);
      if (going_on()) explain(bug);
    }
    if (!bug.explanation && stop_.is_out_of_time() && !clip.empty()) {
      bug.problems.clear();  // an examination that was ended proves nothing
      bug.problems.push_back({BugProblem::Kind::NoTime, ""});
    }
    if (bug.explanation && bug.explanation->cause.kind != explain::CauseKind::Unknown) {
      const CauseKey key = key_of(bug.explanation->cause);
      for (Bug& known : report_.bugs) {
        if (!known.explanation || key_of(known.explanation->cause) != key) continue;
        known.also.push_back(outcome.signature);
        if (observer_.found) observer_.found(known);
        return;
      }
    }
    report_.bugs.push_back(std::move(bug));
    Bug& kept = report_.bugs.back();
    if (observer_.found) observer_.found(kept);
    if (kept.clip.empty() || !going_on()) return;
    write_breakpoints(kept);
    if (observer_.found && !kept.patch.empty()) observer_.found(kept);
  }

  run::ReplayOptions replay_options() const {
    run::ReplayOptions replay;
    replay.output = run::Output::Discard;
    replay.stop = stop_;
    replay.fails_if = options_.run.fails_if;
    replay.preload = options_.run.preload;
    return replay;
  }

  void shrink(Bug& bug) {
    const std::optional<clip::Clip> clip = read_complete_clip(bug.clip);
    if (!clip) return bug.problems.push_back({BugProblem::Kind::UnreadableClip, ""});
    shrink::ShrinkOptions shrinking;
    shrinking.replay = replay_options();
    shrinking.out_path = small_path(bug.clip);
    shrinking.time = std::max(left() / 3, milliseconds{1});
    Result<shrink::ShrinkReport> shrunk = shrink::shrink(
        *clip, shrinking, [&](const auto& progress) { show(HuntPhase::Shrink, bug.outcome.signature, progress); });
    if (!shrunk) {
      bug.problems.push_back({BugProblem::Kind::NotShrunk, shrunk.error().message});
    } else if (shrunk->end == shrink::ShrinkReport::End::Written) {
      bug.clip = shrunk->clip;
      bug.shrunk = std::move(*shrunk);
    } else if (shrunk->end == shrink::ShrinkReport::End::NotConcurrency) {
      bug.problems.push_back({BugProblem::Kind::NoInterference, ""});
    } else {
      bug.problems.push_back({BugProblem::Kind::ClipPasses, ""});
    }
  }

  void explain(Bug& bug) {
    const std::optional<clip::Clip> clip = read_complete_clip(bug.clip);
    if (!clip) return;
    explain::ExplainOptions explaining;
    explaining.replay = replay_options();
    // After the first bug the remaining time has no other use.
    explaining.time = std::max(options_.stop_at_first ? left() : std::min(left() / 2, kExplainMax), milliseconds{1});
    Result<explain::Explanation> explanation = explain::explain(
        *clip, explaining, [&](const auto& progress) { show(HuntPhase::Explain, bug.outcome.signature, progress); });
    if (!explanation) return bug.problems.push_back({BugProblem::Kind::NotExplained, explanation.error().message});
    explanation->clip = bug.clip;
    bug.explanation = std::move(*explanation);
  }

  // A regression test that needs only a header of Heddle.
  void write_breakpoints(Bug& bug) {
    if (!options_.run.driver.empty()) return;  // the schedule does not contain the actions of the client
    const std::optional<clip::Clip> clip = read_complete_clip(bug.clip);
    if (!clip) return;
    breakpoints::GenerateOptions generating;
    generating.replay = replay_options();
    generating.time = std::clamp(left() / 3, milliseconds{1}, kBreakpointsMax);
    generating.runs = kNativeRuns;
    generating.wants_patch = true;
    const Result<breakpoints::Generated> generated = breakpoints::generate(
        *clip, generating,
        [&](const auto& progress) { show(HuntPhase::Breakpoints, bug.outcome.signature, progress); });
    if (stop_.stop_requested() && !(generated && generated->patch)) return;
    if (!generated) {
      bug.problems.push_back({BugProblem::Kind::NoBreakpoints, generated.error().message});
    } else if (!generated->patch) {
      bug.problems.push_back({BugProblem::Kind::NoSetOfBreakpoints, ""});
    } else {
      const std::string path = stem_of(bug.clip) + ".patch";
      const std::string where = "Apply it with: patch -p1 -d " + generated->patch->root + " -i " + path + "\n";
      if (Status written = write_file(path, where + generated->patch->text); written)
        bug.patch = path;
      else
        bug.problems.push_back({BugProblem::Kind::NotWritten, written.error().message});
    }
  }

  static std::string stem_of(const std::string& clip) {
    std::filesystem::path path(clip);
    while (path.extension() == ".zst" || path.extension() == ".clip") path.replace_extension();
    return path.string();
  }
  static std::string small_path(const std::string& clip) { return stem_of(clip) + "-small.clip"; }

  const HuntOptions& options_;
  const HuntObserver& observer_;
  const Clock::time_point begin_ = Clock::now();
  const StopToken stop_ = options_.run.stop.within(options_.time);
  const run::InterruptGuard guard_;
  std::set<std::string> signatures_;
  bool complete_ = false;  // all schedules have been run
  HuntReport report_;
};

}  // namespace

Result<HuntReport> hunt(const HuntOptions& options, const HuntObserver& observer) {
  return Hunter(options, observer).run();
}

}  // namespace heddle::hunt
