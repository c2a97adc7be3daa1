#include "breakpoints/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "breakpoints/conflict_finder.h"
#include "explain/laboratory.h"
#include "run/clip_builder.h"
#include "run/interrupt.h"

namespace heddle::breakpoints {
namespace {

using Clock = std::chrono::steady_clock;

constexpr long long kTimeoutMs = 2'000;
constexpr int kRunsOfSearch = 6;            // before a set is worth the whole number of runs
constexpr std::size_t kPairsOf = 12;        // candidates that are tried in pairs

// "kernel" of "build/kernels/StringBuf/kernel": what the breakpoints are called.
std::string stem_of(const std::string& program) {
  std::string stem;
  for (const char letter : std::filesystem::path(program).filename().string())
    stem += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
  return stem;
}

class Generating {
 public:
  Generating(const run::Clip& clip, const GenerateOptions& options, const std::function<void(const std::string&)>& show)
      : clip_(clip), options_(options), show_(show) {}

  Result<Generated> run() {
    Result<run::RunOptions> replay = run::replay_options(clip_, options_.replay);
    if (!replay) return replay.error();
    run_options_ = std::move(*replay);
    run_options_.engine = format::EngineKind::Fiber;
    Result<std::unique_ptr<explain::Laboratory>> laboratory = explain::Laboratory::open(run_options_, options_.time);
    if (!laboratory) return laboratory.error();
    laboratory_ = std::move(*laboratory);
    const Result<explain::ObservedPtr> failing = record();
    if (!failing) return failing.error();
    show_("looking for conflicts");
    const std::vector<Meeting> meetings = find_meetings(**failing, *laboratory_);
    generated_.candidates = meetings.size();
    generated_.set.name = stem_of(run_options_.program);
    generated_.set.timeout_ms = kTimeoutMs;
    generated_.program = run_options_.program;
    if (Status searched = search(meetings); !searched) return searched.error();
    generated_.thread_names = laboratory_->threads().names();
    generated_.runs_made = trials_->runs_made();
    generated_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return std::move(generated_);
  }

 private:
  Result<explain::ObservedPtr> record() {
    const bool exact = run::same_build(clip_, run_options_);
    Result<run::SessionInputs> inputs = exact ? run::replay_inputs(clip_) : run::site_replay_inputs(clip_, run_options_);
    if (!inputs) return inputs.error();
    run::RunOptions options = run_options_;
    options.strategy = exact ? format::StrategyKind::Replay : format::StrategyKind::ReplayBySite;
    show_("replaying the clip");
    Result<explain::Recording> recording = laboratory_->record_inputs(options, *inputs);
    if (!recording) return recording.error();
    const run::RunReport& report = recording->report;
    if (report.interrupted) return Error{"interrupted"};
    if (report.divergence)
      return Error{"the clip does not replay: " + report.divergence->what + "; see: heddle replay",
                   ExitCode::Uncontrolled};
    if (!report.outcome.failed())
      return Error{"the clip's program ended well, so there is nothing to reproduce", ExitCode::Found};
    generated_.outcome = report.outcome;
    laboratory_->set_failure(report.outcome.signature);
    laboratory_->set_choices(recording->choices);
    trials_ = std::make_unique<NativeTrials>(run_options_, report.outcome.kind, laboratory_->runner());
    return explain::observe(std::move(*recording));
  }

  bool stopped() const {
    return run::interrupt_signal() != 0 || Clock::now() - begin_ >= options_.time;
  }

  // True: the set is what was looked for, and kept.
  Result<bool> try_set(std::vector<Meeting> meetings) {
    NamedSet set = generated_.set;
    set.meetings = std::move(meetings);
    for (const int runs : {kRunsOfSearch, options_.runs}) {
      const Result<TrialCounts> counts = trials_->count(set, runs, true);
      if (!counts) return counts.error();
      if (counts->both < runs) {
        if (set.meetings.size() == 1) generated_.tried.push_back({set.meetings.front(), *counts});
        return false;
      }
    }
    generated_.set = std::move(set);
    generated_.runs = options_.runs;
    return true;
  }

  // One breakpoint, then two, then all of them without those that are not needed.
  Status search(const std::vector<Meeting>& meetings) {
    for (std::size_t i = 0; i < meetings.size() && !stopped(); ++i) {
      show_(fmt::format("one breakpoint, {} of {}", i + 1, meetings.size()));
      const Result<bool> found = try_set({meetings[i]});
      if (!found) return found.error();
      if (*found) return done();
    }
    const std::size_t paired = std::min(meetings.size(), kPairsOf);
    for (std::size_t i = 1; i < paired; ++i) {
      for (std::size_t j = 0; j < i && !stopped(); ++j) {
        show_(fmt::format("two breakpoints, {} and {} of {}", j + 1, i + 1, paired));
        const Result<bool> found = try_set({meetings[j], meetings[i]});
        if (!found) return found.error();
        if (*found) return done();
      }
    }
    if (meetings.size() < 3 || stopped()) return done();
    show_("all breakpoints");
    std::vector<Meeting> kept(meetings.begin(), meetings.begin() + static_cast<std::ptrdiff_t>(paired));
    const Result<bool> all = try_set(kept);
    if (!all) return all.error();
    if (!*all) return done();
    for (std::size_t i = kept.size(); i-- > 0 && !stopped();) {
      std::vector<Meeting> fewer = kept;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      const Result<bool> enough = try_set(fewer);
      if (!enough) return enough.error();
      if (*enough) kept = std::move(fewer);
    }
    return done();
  }

  const run::Clip& clip_;
  const GenerateOptions& options_;
  const std::function<void(const std::string&)>& show_;
  const Clock::time_point begin_ = Clock::now();
  run::RunOptions run_options_;
  std::unique_ptr<explain::Laboratory> laboratory_;
  std::unique_ptr<NativeTrials> trials_;
  Generated generated_;
};

}  // namespace

Result<Generated> generate(const run::Clip& clip, const GenerateOptions& options,
                           const std::function<void(const std::string&)>& show) {
  return Generating(clip, options, show).run();
}

}  // namespace heddle::breakpoints
