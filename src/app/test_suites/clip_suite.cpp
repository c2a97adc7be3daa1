#include "test_suites/clip_suite.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "clip/clip_reader.h"
#include "run/interrupt.h"
#include "support/duration.h"

namespace heddle::test_suites {
namespace {

using Clock = std::chrono::steady_clock;

Result<std::vector<std::string>> find_clips(const std::string& folder) {
  std::vector<std::string> clips;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string path = at->path().string();
    if (path.ends_with(".clip") || path.ends_with(".clip.zst")) clips.push_back(path);
  }
  if (error) return Error{"cannot read " + folder + ": " + error.message()};
  if (clips.empty())
    return Error{"there is no clip in " + folder + "; give the folder of --out of heddle test or heddle explore"};
  std::sort(clips.begin(), clips.end());
  return clips;
}

void replay_one(ClipResult& result, run::ReplayOptions options, run::Runner& runner) {
  const Result<clip::ClipReading> reading = clip::read_clip(result.clip);
  if (!reading) {
    result.problem = reading.error().message;
    return;
  }
  if (!reading->clip.end) {
    result.problem = "it is damaged or cut short: it does not say how the run ended; record it again";
    return;
  }
  result.expected = reading->clip.end->signature;
  options.arguments = reading->clip.head.arguments;
  Result<run::ReplayReport> report = run::replay(reading->clip, options, runner);
  if (!report) {
    result.problem = report.error().message;
    return;
  }
  result.verdict = report->verdict;
  result.replay = std::move(*report);
  result.replay.last.decisions = {};
  const run::Outcome& outcome = result.replay.last.outcome;
  if (outcome.kind == format::OutcomeKind::Uncontrolled) result.problem = outcome.message;
}

}  // namespace

bool ClipReport::any_still_fails() const { return count(run::Verdict::Reproduced) != 0; }

bool ClipReport::any_problem() const {
  return std::any_of(results.begin(), results.end(), [](const ClipResult& result) { return !result.problem.empty(); });
}

std::size_t ClipReport::count(run::Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(results.begin(), results.end(),
                                                [&](const ClipResult& result) { return result.verdict == verdict; }));
}

Result<ClipReport> replay_clips(const std::string& folder, const run::ReplayOptions& options,
                                const std::function<Status(const ClipReport&)>& keep) {
  const run::InterruptGuard guard;
  const Result<std::vector<std::string>> clips = find_clips(folder);
  if (!clips) return clips.error();
  const Clock::time_point begin = Clock::now();
  ClipReport report;
  run::Runner runner;
  for (const std::string& path : *clips) {
    const Clock::time_point begin_of_one = Clock::now();
    ClipResult result;
    result.clip = path;
    replay_one(result, options, runner);
    report.interrupted = options.stop.is_interrupted();
    if (report.interrupted) break;
    result.seconds = seconds_since(begin_of_one);
    report.results.push_back(std::move(result));
    report.seconds = seconds_since(begin);
    if (Status kept = keep(report); !kept) return kept.error();
  }
  return report;
}

}  // namespace heddle::test_suites
