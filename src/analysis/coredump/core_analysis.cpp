#include "coredump/core_analysis.h"

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>

#include "binary/elf_file.h"
#include "coredump/core_input.h"
#include "coredump/search/compared_run.h"
#include "coredump/search/search_policy.h"
#include "experiment/clip_saver.h"
#include "run/interrupt.h"

namespace heddle::coredump {
namespace {

constexpr char kBranchesBuild[] = "HEDDLE_HOOKS=branches heddle-c++";

// The steps of section 2: index the core, find passing runs, align and compare them with the core, search from them. If
// a sequential run already reproduces the failure, its schedule becomes the clip and there is no search.
class CoreAnalysis {
 public:
  CoreAnalysis(const CoreOptions& options, const experiment::ShowProgress& show) : options_(options), show_(show) {}

  Result<CoreReport> run() {
    const run::InterruptGuard guard;
    Result<CoreInput> core = read_core_input(options_, runner_.symbolizer());
    if (!core) return core.error();
    core_ = std::move(*core);
    report_.core = core_.facts;
    report_.problems = core_.facts.index.problems;
    if (Status ready = prepare_reruns(); !ready) return ready.error();
    Result<PassingRuns> passing = find_passing();
    if (!passing) return passing.error();
    const Status done = passing->reproduced ? keep_clip(passing->reproduced->schedule, passing->reproduced->outcome)
                                            : search_from(std::move(passing->runs));
    if (!done) return done.error();
    report_.interrupted = options_.run.stop.is_interrupted();
    return std::move(report_);
  }

 private:
  Status prepare_reruns() {
    Result<binary::ProgramFile> program = binary::find_program(options_.run.program);
    if (!program) return program.error();
    program_ = std::move(*program);
    if (Status controllable = binary::check_controllable(program_, false); !controllable) return controllable.error();
    Result<binary::BlockTable> table = binary::BlockTable::read(program_.path, kBranchesBuild);
    if (!table) return table.error();
    table_ = std::move(*table);
    flow_ = std::make_unique<ControlFlow>(table_);
    if (Status same = check_same_blocks(core_, table_, program_.path, options_.production_program); !same)
      return same.error();
    reruns_ = std::make_unique<Reruns>(program_, options_.run, core_.facts, *flow_, runner_);
    return ok_status();
  }

  Result<PassingRuns> find_passing() {
    show_({experiment::Activity::RunningAgain});
    const SameFailure is_same_failure = [this](const Rerun& rerun) {
      report_.search.match = match_core(core_.facts, *reruns_, rerun.outcome, rerun.schedule);
      return report_.search.match != Match::No;
    };
    return find_passing_runs(*reruns_, program_.path, core_.facts.thread, is_same_failure, options_.wanted);
  }

  Status search_from(std::vector<PassingRun> passing) {
    report_.passed = true;
    show_({experiment::Activity::ComparingCore});
    RunComparer comparer(core_, program_.path, *reruns_, runner_.symbolizer(),
                         [this](const binary::CoreImage& image) { keep_aligned_core(image); });
    std::deque<ComparedRun> runs;
    for (PassingRun& run : passing) {
      Result<ComparedRun> compared = comparer.compare(std::move(run));
      if (!compared) return compared.error();
      runs.push_back(std::move(*compared));
    }
    SearchTrials trials(program_, options_.run, runner_, runs.front().passing.run, core_.facts, *reruns_);
    if (Status started = trials.start(); !started) return started.error();
    SearchPolicy policy(options_, core_, program_.path, *reruns_, comparer, runs, trials, show_);
    if (Status searched = policy.run(); !searched) return searched.error();
    report_.search = policy.result();
    const std::optional<FoundSchedule>& found = policy.found();
    report_run(runs[found ? found->run : 0]);
    if (!found) return ok_status();
    report_.search.match = found->match;
    return keep_clip(found->schedule, found->outcome);
  }

  void keep_aligned_core(const binary::CoreImage& image) {
    if (!options_.keep_aligned_core || !report_.aligned_core.empty()) return;
    std::error_code ignored;
    std::filesystem::create_directories(options_.out_directory, ignored);
    const std::string path = options_.out_directory + "/aligned.core";
    if (Status written = binary::write_core_file(image, path); !written)
      report_.problems.push_back(written.error().message);
    else
      report_.aligned_core = path;
  }

  void report_run(ComparedRun& run) {
    report_.aligned = std::move(run.aligned);
    report_.comparison = std::move(run.comparison);
    if (report_.comparison.sharing.critical.empty())
      report_.problems.push_back("no shared variable differs; the search covers all memory that threads share");
  }

  Status keep_clip(const experiment::Schedule& schedule, const run::Outcome& outcome) {
    SearchResult& search = report_.search;
    search.found = outcome;
    run::RunOptions options = options_.run;
    options.strategy = format::StrategyKind::Turns;
    Result<run::SessionInputs> inputs = experiment::inputs_of(schedule);
    if (!inputs) return inputs.error();
    const std::string path = options_.out_directory + "/core-" + run::outcome_word(outcome.kind) + ".clip";
    Result<experiment::SavedClip> saved = experiment::save_clip(runner_, options, *inputs, outcome.kind, path);
    if (!saved) return saved.error();
    search.clip = saved->path;
    report_.problems.insert(report_.problems.end(), saved->problems.begin(), saved->problems.end());
    if (options_.by_count) return ok_status();
    Result<Rerun> again = reruns_->run(schedule, Reruns::Freed::Ignored);
    if (!again) return ok_status();
    const std::string& thread = core_.facts.thread;
    for (const ThreadAlignment& alignment : again->alignments)
      if (alignment.aligned && alignment.aligned->exact && (thread.empty() || alignment.thread == thread))
        search.index_matches = true;
    return ok_status();
  }

  const CoreOptions& options_;
  const experiment::ShowProgress& show_;
  run::Runner runner_;
  CoreReport report_;
  CoreInput core_;
  binary::ProgramFile program_;
  binary::BlockTable table_;
  std::unique_ptr<ControlFlow> flow_;
  std::unique_ptr<Reruns> reruns_;
};

}  // namespace

Result<ExportReport> export_core(const std::string& core, const std::string& program, const std::string& path) {
  run::Runner runner;
  const Result<FailingCore> failing = read_failing_core(core, program, runner.symbolizer());
  if (!failing) return failing.error();
  const Result<binary::ElfFile> file = binary::ElfFile::open(program);
  if (!file) return file.error();
  return write_export(*failing, file->build_id(), path);
}

Result<CoreReport> analyse_core(const CoreOptions& options, const experiment::ShowProgress& show) {
  return CoreAnalysis(options, show).run();
}

}  // namespace heddle::coredump
