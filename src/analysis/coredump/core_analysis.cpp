#include "coredump/core_analysis.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>

#include "binary/elf_file.h"
#include "coredump/heuristics.h"
#include "coredump/index/failing_core.h"
#include "coredump/search/access_map.h"
#include "experiment/clip_saver.h"
#include "experiment/failure_matcher.h"
#include "run/interrupt.h"
#include "run/process/process_snapshot.h"
#include "support/duration.h"

namespace heddle::coredump {
namespace {

using Clock = std::chrono::steady_clock;
using experiment::Activity;
using format::OutcomeKind;
using format::StrategyKind;

constexpr char kBranchesBuild[] = "HEDDLE_HOOKS=branches heddle-c++";

// Innermost first, without inlined ones: which of these are frames of their own depends on the build.
std::vector<std::string> own_functions(const std::vector<binary::SourceFrame>& stack) {
  std::vector<std::string> functions;
  for (const binary::SourceFrame& frame : stack)
    if (!frame.inlined && run::is_own_code(frame)) functions.push_back(frame.function);
  return functions;
}

// The core beside a passing run at its aligned point.
struct Compared {
  binary::ComparisonReport comparison;
  Sharing sharing;
  std::string file;  // of the aligned point
  std::uint32_t line = 0;
  std::uint64_t bytes = 0;
  std::uint64_t candidates = 0;
  double seconds = 0, rank_seconds = 0;
};

class CoreAnalysis {
 public:
  CoreAnalysis(const CoreOptions& options, const experiment::ShowProgress& show) : options_(options), show_(show) {}

  Result<CoreReport> run() {
    const run::InterruptGuard guard;
    if (Status read = read_core(); !read) return read.error();
    if (Status aligned = rerun_and_align(); !aligned) return aligned.error();
    if (!report_.passed) return finish();
    show_({Activity::ComparingCore});
    for (const PassingRun& passing : passing_)
      if (Status compared = compare_images(passing); !compared) return compared.error();
    if (Status searched = search_schedule(); !searched) return searched.error();
    return finish();
  }

 private:
  Result<CoreReport> finish() {
    report_.interrupted = options_.run.stop.is_interrupted();
    return std::move(report_);
  }

  Status read_core() {
    const Clock::time_point begin = Clock::now();
    const Status read = is_export(options_.core_path) ? read_exported() : read_image();
    if (!read) return read.error();
    if (!options_.by_count) {
      report_.index.point_count.reset();
    } else if (!report_.index.point_count) {
      return Error{
          options_.production_program +
          " does not count its points; build it with HEDDLE_COUNT_POINTS=1 HEDDLE_BUILD=production heddle-c++"};
    }
    report_.problems = report_.index.problems;
    report_.read_seconds = seconds_since(begin);
    return ok_status();
  }

  Status read_image() {
    Result<FailingCore> core = read_failing_core(options_.core_path, options_.production_program, runner_.symbolizer());
    if (!core) return core.error();
    failing_ = std::move(*core);
    failing_table_ = std::move(failing_.table);
    other_indices_ = failing_.other_indices;
    report_.index = failing_.index;
    report_.index.point_count = failing_.view->points_of(failing_.image->threads.front());
    report_.thread = failing_.thread;
    report_.core_threads = failing_.image->threads.size();
    report_.core_bytes = failing_.image->size_bytes;
    report_.stack = failing_.source_stack;
    report_.outcome = failing_.outcome;
    return ok_status();
  }

  Status read_exported() {
    const std::string key = options_.key_path.empty() ? options_.core_path + ".key" : options_.key_path;
    Result<ExportedCore> core = read_export(options_.core_path, key);
    if (!core) return core.error();
    exported_ = std::move(*core);
    Result<binary::ElfFile> file = binary::ElfFile::open(options_.production_program);
    if (!file) return file.error();
    if (file->build_id() != exported_->build_id)
      return Error{options_.core_path + " is of another build than " + options_.production_program +
                   "; give the very file that ran with --program"};
    Result<binary::BlockTable> table =
        binary::BlockTable::read(options_.production_program, "HEDDLE_BUILD=production heddle-c++");
    if (!table) return table.error();
    failing_table_ = std::move(*table);
    report_.index = exported_->index;
    other_indices_ = exported_->other_indices;
    report_.thread = exported_->thread;
    report_.core_threads = exported_->core_threads;
    report_.core_bytes = exported_->core_bytes;
    report_.stack = exported_->stack;
    report_.outcome = exported_->outcome;
    return ok_status();
  }

  Status rerun_and_align() {
    Result<binary::ProgramFile> program = binary::find_program(options_.run.program);
    if (!program) return program.error();
    program_ = std::move(*program);
    if (Status controllable = binary::check_controllable(program_, false); !controllable) return controllable.error();
    Result<binary::BlockTable> table = binary::BlockTable::read(program_.path, kBranchesBuild);
    if (!table) return table.error();
    table_ = std::move(*table);
    flow_ = std::make_unique<ControlFlow>(table_);
    if (Status same = check_same_blocks(); !same) return same.error();
    reruns_ = std::make_unique<Reruns>(program_, options_.run, report_.index, other_indices_, *flow_, runner_);

    show_({Activity::RunningAgain});
    Result<PassingRuns> found =
        find_passing_runs(*reruns_, program_.path, report_.thread, fails_alike_, options_.wanted);
    if (!found) return found.error();
    if (found->reproduced) return keep_clip(found->reproduced->schedule, found->reproduced->outcome);
    report_.passed = true;
    sequential_runs_ = found->runs.size();
    for (PassingRun& passing : found->runs) passing_.push_back(std::move(passing));
    return ok_status();
  }

  // Blocks have the same numbers only if both builds are of one source and the same options.
  Status check_same_blocks() {
    for (const IndexEntry& entry : report_.index.entries) {
      const binary::FunctionRow* there = failing_table_.find(entry.function, entry.source);
      const binary::FunctionRow* here = table_.find(entry.function, entry.source);
      const auto shape = [](const binary::FunctionRow& row) {
        std::vector<std::uint32_t> words;
        for (const binary::BlockRow& block : row.blocks) {
          words.insert(words.end(), block.successors.begin(), block.successors.end());
          words.push_back(~std::uint32_t{0});
        }
        return words;
      };
      if (here != nullptr && there != nullptr && shape(*here) == shape(*there)) continue;
      return Error{program_.path + " is not the same code as " + options_.production_program + " (" +
                   binary::demangle(entry.function) + " differs); build both from one source with the same options"};
    }
    return ok_status();
  }

  // Natively nobody sees that freed memory is used: the core shows what came of it.
  Match match_of(const run::Outcome& outcome, const experiment::Schedule& schedule) {
    if (experiment::is_same_failure(outcome, report_.outcome)) return Match::Signature;
    if (outcome.kind != OutcomeKind::UseAfterFree) return Match::No;
    const Result<Rerun> further = reruns_->run(schedule, Reruns::Freed::Ignored);
    if (further && experiment::is_same_failure(further->outcome, report_.outcome)) return Match::Consequence;
    const Result<Rerun> at_use = reruns_->run(schedule, Reruns::Freed::Ends);
    const std::vector<std::string> functions = own_functions(report_.stack);
    return at_use && !functions.empty() && own_functions(at_use->stack) == functions ? Match::FreedUse : Match::No;
  }

  Status compare_images(const PassingRun& passing) {
    Result<binary::CoreImage> image = reruns_->freeze(passing.schedule, passing.thread, passing.aligned.ordinal);
    if (!image) return image.error();
    const Clock::time_point begin = Clock::now();
    Compared result;
    result.bytes = image->size_bytes;
    if (options_.keep_aligned_core && compared_.empty()) keep_aligned_core(*image);
    image->add_file_contents(program_.path);
    Result<std::unique_ptr<binary::DebugView>> view = binary::DebugView::open(*image, program_.path);
    if (!view) return view.error();
    const std::vector<binary::StackFrame> stack = (*view)->unwind(0);
    place_aligned_point(stack, passing.aligned, result);
    const std::vector<binary::ThreadStack> others = binary::unwind_others(**view);
    const binary::ComparedStack passing_stack{**view, stack, others};
    const AccessMap accesses(passing.run.events);
    const binary::SharedTest is_shared = [&](std::uint64_t address, std::uint64_t size) {
      return accesses.is_shared(address, size);
    };
    result.comparison =
        exported_ ? compare_with_export(*exported_, passing_stack, is_shared)
                  : binary::compare({*failing_.view, failing_.stack, failing_.other_stacks}, passing_stack, is_shared);
    result.seconds = seconds_since(begin);
    result.sharing = find_critical(result.comparison, accesses);
    compared_.push_back(std::move(result));
    return ok_status();
  }

  void keep_aligned_core(const binary::CoreImage& image) {
    std::error_code ignored;
    std::filesystem::create_directories(options_.out_directory, ignored);
    const std::string path = options_.out_directory + "/aligned.core";
    if (Status written = run::write_core_file(image, path); !written)
      report_.problems.push_back(written.error().message);
    else
      report_.aligned_core = path;
  }

  void place_aligned_point(const std::vector<binary::StackFrame>& stack, const AlignedPoint& aligned,
                           Compared& result) {
    for (const binary::StackFrame& frame : stack) {
      if (frame.module != program_.path) continue;
      for (const binary::SourceFrame& source : runner_.symbolizer().lookup(frame.module, frame.file_address, false)) {
        if (!run::is_own_code(source) || source.line == 0) continue;
        result.file = source.file;
        result.line = source.line;
        return;
      }
    }
    result.file = aligned.source;
    result.line = aligned.line;
  }

  // What several threads access, word by word.
  static std::vector<CriticalVariable> all_shared(const Rerun& run) {
    std::map<std::uint64_t, std::uint32_t> first;
    std::vector<CriticalVariable> all;
    for (const RunEvent& event : run.events) {
      if (!format::is_access(event.kind) || event.object == 0) continue;
      const std::uint64_t granule = event.object / 8 * 8;
      const auto [found, added] = first.try_emplace(granule, event.thread);
      if (added || found->second == event.thread || found->second == ~0u) continue;
      found->second = ~0u;
      all.push_back({"", "", granule, 8});
    }
    return all;
  }

  enum class Searched : std::uint8_t { Critical, AllShared };

  // Without a critical variable everything that threads share is one: the order of accesses is all there is.
  std::vector<CriticalVariable> variables_of(std::size_t run, Searched searched) const {
    const std::vector<CriticalVariable>& critical = compared_[run].sharing.critical;
    return searched == Searched::AllShared || critical.empty() ? all_shared(passing_[run].run) : critical;
  }

  SearchSpace make_space(std::size_t run, Searched searched, bool thorough = false) {
    const Clock::time_point begin = Clock::now();
    const Priority priority =
        options_.search.method == SearchMethod::Temporal ? Priority::Temporal : Priority::Dependence;
    const PassingRun& passing = passing_[run];
    SearchSpace space{&passing.run, find_candidates(passing.run, variables_of(run, searched),
                                                    {passing.thread_index, passing.position, {}, thorough}, priority,
                                                    options_.at_accesses)};
    compared_[run].candidates = space.list.candidates.size();
    compared_[run].rank_seconds += seconds_since(begin);
    return space;
  }

  std::vector<SearchSpace> make_spaces(Searched searched) {
    std::vector<SearchSpace> spaces;
    for (std::size_t i = 0; i < passing_.size(); ++i) spaces.push_back(make_space(i, searched));
    run_of_space_.resize(spaces.size());
    std::iota(run_of_space_.begin(), run_of_space_.end(), std::size_t{0});
    if (const PassingRun& first = passing_.front();
        !first.aligned.exact && options_.search.method != SearchMethod::Chess) {
      spaces.push_back({&first.run, candidates_behind(spaces.front().list, first.thread_index, first.position)});
      run_of_space_.push_back(0);
    }
    return spaces;
  }

  // Distances count from where the core shows the threads.
  SearchSpace make_thorough_space(std::size_t run, Searched searched, const CorePositions& places) {
    const PassingRun& passing = passing_[run];
    return {&passing.run, find_candidates(passing.run, variables_of(run, searched),
                                          {passing.thread_index, passing.position, places.positions, true},
                                          Priority::Temporal, options_.at_accesses)};
  }

  CorePositions places_of(std::size_t run) const {
    return places_in_core(passing_[run], other_indices_, report_.core_threads == other_indices_.size() + 1);
  }

  // Nobody goes beyond where the core shows him.
  std::vector<SearchSpace> make_spaces_in_place(Searched searched) {
    std::vector<SearchSpace> spaces;
    run_of_space_.clear();
    for (std::size_t i = 0; i < passing_.size(); ++i) {
      const CorePositions places = places_of(i);
      if (!places.any) continue;
      SearchSpace space = make_thorough_space(i, searched, places);
      space.stops = places.stops;
      space.failing = passing_[i].thread_index;
      space.first_before = places.positions[space.failing];
      spaces.push_back(std::move(space));
      run_of_space_.push_back(i);
    }
    return spaces;
  }

  // What goes on natively while the core is written takes a thread far beyond where it stood when the other one failed:
  // so here everybody may go on. And the variable may no longer differ: so everything that threads share is searched as
  // well.
  void add_spaces_with_returns(std::vector<SearchSpace>& spaces) {
    for (std::size_t i = 0; i < sequential_runs_; ++i) {
      for (const Searched searched : {Searched::Critical, Searched::AllShared}) {
        if (searched == Searched::AllShared && compared_[i].sharing.critical.empty()) continue;  // the same
        SearchSpace space = make_thorough_space(i, searched, places_of(i));
        space.returns = true;
        spaces.push_back(std::move(space));
        run_of_space_.push_back(i);
      }
    }
  }

  Status search_in_place(const SearchOptions& options, SearchTrials& trials) {
    const std::vector<SearchSpace> spaces = make_spaces_in_place(Searched::Critical);
    return spaces.empty() ? ok_status() : search_in(spaces, options, trials);
  }

  // Schedules with one preemption that shows the failing thread what another one has begun: by how the branch at which
  // the runs parted depends on it, and by how near it is to where the core shows that thread.
  std::vector<experiment::Schedule> schedules_to_come_nearer() {
    std::vector<std::vector<experiment::Schedule>> of_space;
    for (std::size_t i = 0; i < passing_.size(); ++i) {
      const PassingRun& passing = passing_[i];
      const SearchSpace space{&passing.run, find_candidates(passing.run, all_shared(passing.run),
                                                            {passing.thread_index, passing.position, {}, true},
                                                            Priority::Dependence, options_.at_accesses)};
      of_space.push_back(preemptions_to(passing.thread_index, space, kPlansMax));
    }
    for (const SearchSpace& space : make_spaces_in_place(Searched::AllShared))
      of_space.push_back(preemptions_to(space.failing, space, kPlansMax));
    std::vector<experiment::Schedule> schedules;
    for (std::size_t rank = 0; rank < kPlansMax; ++rank)
      for (const std::vector<experiment::Schedule>& lightest_first : of_space)
        if (rank < lightest_first.size()) schedules.push_back(lightest_first[rank]);
    return schedules;
  }

  // In no sequential order the failing thread may come to where it failed: what leads there is itself a preemption of
  // another one. A run with one that comes nearer is compared instead.
  Status search_from_nearer_run(SearchOptions options, SearchTrials& trials) {
    const auto rank = [](const AlignedPoint& of) { return std::make_pair(of.exact, of.matched); };
    std::size_t nearer = 0;  // 0: none
    for (const experiment::Schedule& schedule : schedules_to_come_nearer()) {
      if (options_.run.stop.is_interrupted()) return ok_status();
      if (!trials.is_new(schedule)) continue;
      ++report_.tries;
      Result<Rerun> rerun = reruns_->run(schedule, Reruns::Freed::Ends);
      if (!rerun) return rerun.error();
      if (rerun->outcome.failed()) {
        if (!fails_alike_(*rerun)) continue;
        tell_of(0);
        return keep_clip(schedule, rerun->outcome);
      }
      std::optional<PassingRun> passing =
          passing_run(ThreadOrder::AnotherStopped, schedule, std::move(*rerun), report_.thread);
      if (!passing || rank(passing->aligned) <= rank(passing_[nearer].aligned)) continue;
      passing_.push_back(std::move(*passing));
      if (Status compared = compare_images(passing_.back()); !compared) return compared.error();
      nearer = passing_.size() - 1;
      if (passing_[nearer].aligned.exact) break;
    }
    if (nearer == 0) return ok_status();
    run_of_space_ = {nearer, nearer};
    options.tries_max = std::min(options.tries_max, kNearerTriesMax);
    return search_in({make_space(nearer, Searched::Critical, true), make_space(nearer, Searched::AllShared, true)},
                     options, trials);
  }

  // Whether there is anything left to search with; then what.
  bool goes_on(SearchOptions& left) const {
    if (!report_.clip.empty() || options_.run.stop.is_interrupted() || report_.tries >= options_.search.tries_max)
      return false;
    left = options_.search;
    left.tries_max -= report_.tries;
    if (left.time.count() == 0) return true;
    left.time -= std::chrono::milliseconds(static_cast<long>(report_.search_seconds * 1000));
    return left.time.count() > 0;
  }

  Status search_schedule() {
    report_.method = options_.search.method;
    SearchTrials trials(program_, options_.run, runner_, passing_.front().run,
                        [this](const run::Outcome& outcome, const experiment::Schedule& schedule) {
                          return match_of(outcome, schedule);
                        });
    if (Status started = trials.start(); !started) return started.error();

    std::vector<SearchSpace> spaces = make_spaces(Searched::Critical);
    const std::vector<std::size_t> run_of_space = run_of_space_;
    SearchOptions options = options_.search;
    options.tries_max = std::min(options.tries_max, kTriesBeforePlaces);
    if (Status searched = search_in(spaces, options, trials); !searched) return searched.error();
    if (options_.search.method != SearchMethod::Chess && goes_on(options)) {
      options.tries_max = std::min(options.tries_max, kTriesInPlaces);
      if (Status searched = search_in_place(options, trials); !searched) return searched.error();
      if (!passing_.front().aligned.exact && goes_on(options))
        if (Status searched = search_from_nearer_run(options, trials); !searched) return searched.error();
      run_of_space_ = run_of_space;
    }
    if (goes_on(options)) {
      if (Status added = add_sliced_run(spaces); !added) return added.error();
      if (options_.search.method != SearchMethod::Chess) add_spaces_with_returns(spaces);
      if (goes_on(options))
        if (Status searched = search_in(spaces, options, trials); !searched) return searched.error();
    }
    // What differs is not always what went wrong.
    if (report_.exhausted && goes_on(options)) {
      show_({Activity::SearchingAllShared});
      if (Status searched = search_in(make_spaces(Searched::AllShared), options, trials); !searched)
        return searched.error();
    }
    if (report_.clip.empty()) tell_of(0);
    return ok_status();
  }

  Status add_sliced_run(std::vector<SearchSpace>& spaces) {
    show_({Activity::RunningAgainInSlices});
    Result<PassingRuns> found =
        find_sliced_run(*reruns_, program_.path, report_.thread, fails_alike_, options_.wanted, passing_.front().run);
    if (!found) return found.error();
    if (found->reproduced) {
      tell_of(0);
      return keep_clip(found->reproduced->schedule, found->reproduced->outcome);
    }
    if (found->runs.empty()) return ok_status();
    passing_.push_back(std::move(found->runs.front()));
    if (Status compared = compare_images(passing_.back()); !compared) return compared.error();
    spaces.push_back(make_space(passing_.size() - 1, Searched::Critical));
    run_of_space_.push_back(passing_.size() - 1);
    return ok_status();
  }

  Status search_in(const std::vector<SearchSpace>& spaces, const SearchOptions& options, SearchTrials& trials) {
    const std::uint64_t before = report_.tries;
    Result<SearchReport> found =
        search(spaces, options, options_.run.stop, trials,
               [&](std::uint64_t tries) { show_({Activity::SearchingSchedule, before + tries}); });
    if (!found) return found.error();
    report_.tries += found->tries;
    report_.other_failures += found->other_failures;
    report_.exhausted = found->exhausted;
    report_.search_seconds += found->seconds;
    if (!found->schedule) return ok_status();
    tell_of(run_of_space_[found->space]);
    report_.match = found->match;
    return keep_clip(*found->schedule, found->outcome);
  }

  // Of the passing runs the report shows one: that in which the schedule was found, else the first.
  void tell_of(std::size_t run) {
    const PassingRun& passing = passing_[run];
    Compared& compared = compared_[run];
    report_.order = passing.order;
    report_.aligned = passing.aligned;
    report_.aligned_thread = passing.thread;
    report_.aligned_file = compared.file;
    report_.aligned_line = compared.line;
    report_.aligned_bytes = compared.bytes;
    report_.variables_compared = compared.comparison.variables;
    report_.differences = compared.comparison.differences;
    report_.listed = std::move(compared.comparison.list);
    report_.shared = compared.sharing.shared;
    report_.critical = std::move(compared.sharing.critical);
    report_.candidates = compared.candidates;
    report_.rerun_seconds = passing.run.seconds;
    report_.compare_seconds = compared.seconds;
    report_.rank_seconds = compared.rank_seconds;
    if (report_.critical.empty())
      report_.problems.push_back("no shared variable differs; all that threads share is searched");
  }

  Status keep_clip(const experiment::Schedule& schedule, const run::Outcome& outcome) {
    report_.found = outcome;
    run::RunOptions options = options_.run;
    options.strategy = StrategyKind::Turns;
    Result<run::SessionInputs> inputs = experiment::inputs_of(schedule);
    if (!inputs) return inputs.error();
    const std::string path = options_.out_directory + "/core-" + run::outcome_word(outcome.kind) + ".clip";
    Result<experiment::SavedClip> saved = experiment::save_clip(runner_, options, *inputs, outcome.kind, path);
    if (!saved) return saved.error();
    report_.clip = saved->path;
    report_.problems.insert(report_.problems.end(), saved->problems.begin(), saved->problems.end());
    if (options_.by_count) return ok_status();
    Result<Rerun> again = reruns_->run(schedule, Reruns::Freed::Ignored);
    if (!again) return ok_status();
    for (const ThreadAlignment& alignment : again->alignments)
      if (alignment.aligned && alignment.aligned->exact &&
          (report_.thread.empty() || alignment.thread == report_.thread))
        report_.index_matches = true;
    return ok_status();
  }

  const CoreOptions& options_;
  const experiment::ShowProgress& show_;
  run::Runner runner_;
  CoreReport report_;
  FailingCore failing_;                   // of a core,
  std::optional<ExportedCore> exported_;  // or of its export
  binary::BlockTable failing_table_;
  std::map<std::string, FailureIndex> other_indices_;
  binary::ProgramFile program_;
  binary::BlockTable table_;
  std::unique_ptr<ControlFlow> flow_;
  std::unique_ptr<Reruns> reruns_;
  const FailsAlike fails_alike_ = [this](const Rerun& rerun) {
    report_.match = match_of(rerun.outcome, rerun.schedule);
    return report_.match != Match::No;
  };
  std::deque<PassingRun> passing_;         // which does not move: the search refers to them
  std::size_t sequential_runs_ = 0;        // of these the first
  std::vector<Compared> compared_;         // with these
  std::vector<std::size_t> run_of_space_;  // which of these a space of the search belongs to
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
