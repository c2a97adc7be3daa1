#include "coredump/core_analysis.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/random.h"
#include "coredump/failing_core.h"
#include "coredump/frozen_copy.h"
#include "run/clip_saver.h"
#include "run/interrupt.h"

namespace heddle::coredump {
namespace {

using Clock = std::chrono::steady_clock;
using format::OutcomeKind;
using format::StrategyKind;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

constexpr char kBranchesBuild[] = "HEDDLE_HOOKS=branches heddle-c++";
constexpr std::uint64_t kRandomOrders = 20;

// Main first; then the others as they were created, in reverse, or by chance.
std::vector<std::string> ordered(std::vector<std::string> threads, std::uint64_t order) {
  if (order == 1) std::reverse(threads.begin() + 1, threads.end());
  Random random(order);
  for (std::size_t i = threads.size() - 1; order > 1 && i > 1; --i) std::swap(threads[i], threads[1 + random.below(i)]);
  return threads;
}

bool is_same(const run::Outcome& a, const run::Outcome& b) { return a.kind == b.kind && a.signature == b.signature; }

class CoreAnalysis {
 public:
  CoreAnalysis(const CoreOptions& options, const std::function<void(const std::string&)>& show)
      : options_(options), show_(show) {}

  Result<CoreReport> run() {
    const run::InterruptGuard guard;
    if (Status read = read_core(); !read) return read.error();
    if (Status aligned = rerun_and_align(); !aligned) return aligned.error();
    if (!report_.passed) return finish();
    if (Status compared = compare_images(); !compared) return compared.error();
    if (Status searched = search_schedule(); !searched) return searched.error();
    return finish();
  }

 private:
  Result<CoreReport> finish() {
    report_.interrupted = run::interrupt_signal() != 0;
    return std::move(report_);
  }

  Status read_core() {
    const Clock::time_point begin = Clock::now();
    Result<FailingCore> core =
        read_failing_core(options_.core_path, options_.production_program, runner_.symbolizer());
    if (!core) return core.error();
    failing_ = std::move(*core);
    report_.index = failing_.index;
    report_.problems = failing_.index.problems;
    report_.thread = failing_.thread;
    report_.core_threads = failing_.image->threads.size();
    report_.core_bytes = failing_.image->size_bytes;
    report_.stack = failing_.source_stack;
    report_.outcome = failing_.outcome;
    report_.read_seconds = seconds_since(begin);
    return done();
  }

  // In some order the program passes. If in none, and it fails as the core says, there is nothing to search for.
  Status rerun_and_align() {
    Result<run::ProgramFile> program = run::find_program(options_.run.program);
    if (!program) return program.error();
    program_ = std::move(*program);
    if (Status controllable = run::check_controllable(program_, false); !controllable) return controllable.error();
    Result<BlockTable> table = BlockTable::read(program_.path, kBranchesBuild);
    if (!table) return table.error();
    table_ = std::move(*table);
    flow_ = std::make_unique<ControlFlow>(table_);
    if (Status same = check_same_blocks(); !same) return same.error();
    reruns_ = std::make_unique<Reruns>(program_, options_.run, report_.index, *flow_, runner_);

    show_("running the program again");
    std::vector<std::string> threads = {"0"};
    std::string other;
    for (std::uint64_t order = 0; order <= kRandomOrders && !report_.passed; ++order) {
      if (run::interrupt_signal() != 0) return Error{"interrupted"};
      const shrink::Plan plan = sequential_plan(ordered(threads, order));
      Result<Rerun> rerun = reruns_->run(plan, Reruns::Freed::Ends);
      if (!rerun) return rerun.error();
      if (!rerun->has_blocks)
        return Error{program_.path + " does not tell its blocks; build it with " + std::string(kBranchesBuild),
                     ExitCode::Uncontrolled};
      // Which threads there are is known after the first run.
      if (rerun->plan.threads.size() > threads.size()) {
        threads = rerun->plan.threads;
        --order;
        continue;
      }
      if (rerun->outcome.failed()) {
        if (Status kept = keep_if_same(*rerun); !kept) return kept.error();
        if (!report_.clip.empty()) return done();
        other = rerun->outcome.signature + (rerun->outcome.message.empty() ? "" : ": " + rerun->outcome.message);
        continue;
      }
      report_.rerun_seconds = rerun->seconds;
      order_ = plan;
      passing_ = std::move(*rerun);
      report_.passed = true;
    }
    if (!report_.passed)
      return Error{program_.path + " fails in every order that was tried, and not as the core says (" + other +
                       "); see: heddle run -- " + program_.path,
                   ExitCode::Found};
    return choose_alignment();
  }

  // Blocks have the same numbers only if both builds are of one source and the same options.
  Status check_same_blocks() {
    for (const IndexEntry& entry : report_.index.entries) {
      const FunctionRow* there = failing_.table.find(entry.function, entry.source);
      const FunctionRow* here = table_.find(entry.function, entry.source);
      const auto shape = [](const FunctionRow& row) {
        std::vector<std::uint32_t> words;
        for (const BlockRow& block : row.blocks) {
          words.insert(words.end(), block.successors.begin(), block.successors.end());
          words.push_back(~std::uint32_t{0});
        }
        return words;
      };
      if (here != nullptr && there != nullptr && shape(*here) == shape(*there)) continue;
      return Error{program_.path + " is not the same code as " + options_.production_program + " (" +
                   run::demangle(entry.function) + " differs); build both from one source with the same options"};
    }
    return done();
  }

  Status keep_if_same(const Rerun& rerun) {
    const Match match = match_of(rerun.outcome, rerun.plan);
    if (match == Match::No) return done();
    report_.match = match;
    return keep_clip(rerun.plan, rerun.outcome);
  }

  // Natively nobody sees that freed memory is used: the core shows what came of it.
  Match match_of(const run::Outcome& outcome, const shrink::Plan& plan) {
    if (is_same(outcome, report_.outcome)) return Match::Signature;
    if (outcome.kind != OutcomeKind::UseAfterFree) return Match::No;
    const Result<Rerun> further = reruns_->run(plan, Reruns::Freed::Ignored);
    return further && is_same(further->outcome, report_.outcome) ? Match::Consequence : Match::No;
  }

  Status choose_alignment() {
    const ThreadAlignment* best = nullptr;
    for (const ThreadAlignment& alignment : passing_.alignments) {
      if (!alignment.aligned) continue;
      if (!report_.thread.empty() && alignment.thread != report_.thread) continue;
      const auto rank = [](const ThreadAlignment& of) { return std::make_pair(of.aligned->exact, of.aligned->matched); };
      if (best == nullptr || rank(alignment) > rank(*best)) best = &alignment;
    }
    if (best == nullptr)
      return Error{"no thread of " + program_.path + " does what the one in the core did" +
                       (report_.thread.empty() ? "" : " (thread " + report_.thread + ")") +
                       "; give it the same arguments and input as the run that crashed",
                   ExitCode::Found};
    report_.aligned = *best->aligned;
    report_.aligned_thread = best->thread;
    aligned_position_ = best->position;
    aligned_thread_ = static_cast<std::uint32_t>(best - passing_.alignments.data());
    return done();
  }

  Status compare_images() {
    show_("comparing the core with the run");
    Result<CoreImage> image = reruns_->freeze(order_, report_.aligned_thread, report_.aligned.ordinal);
    if (!image) return image.error();
    const Clock::time_point begin = Clock::now();
    passing_image_ = std::move(*image);
    report_.aligned_bytes = passing_image_.size_bytes;
    if (options_.keep_aligned_core) keep_aligned_core();
    passing_image_.add_file_contents(program_.path);
    Result<std::unique_ptr<DebugView>> view = DebugView::open(passing_image_, program_.path);
    if (!view) return view.error();
    const std::vector<StackFrame> stack = (*view)->unwind(0);
    place_aligned_point(stack);
    const ComparisonReport compared = compare({*failing_.view, failing_.stack}, {**view, stack});
    report_.variables_compared = compared.variables;
    report_.differences = compared.differences;
    report_.listed = compared.list;
    report_.compare_seconds = seconds_since(begin);
    const Sharing sharing = find_critical(compared, passing_.events);
    report_.shared = sharing.shared;
    report_.critical = sharing.critical;
    return done();
  }

  void keep_aligned_core() {
    std::error_code ignored;
    std::filesystem::create_directories(options_.out_directory, ignored);
    const std::string path = options_.out_directory + "/aligned.core";
    if (Status written = write_core_file(passing_image_, path); !written)
      report_.problems.push_back(written.error().message);
    else
      report_.aligned_core = path;
  }

  void place_aligned_point(const std::vector<StackFrame>& stack) {
    for (const StackFrame& frame : stack) {
      if (frame.module != program_.path) continue;
      for (const run::SourceFrame& source : runner_.symbolizer().lookup(frame.module, frame.file_address, false)) {
        if (!run::is_own_code(source) || source.line == 0) continue;
        report_.aligned_file = source.file;
        report_.aligned_line = source.line;
        return;
      }
    }
    report_.aligned_file = report_.aligned.source;
    report_.aligned_line = report_.aligned.line;
  }

  // Without a critical variable everything that threads share is one: the order of accesses is all there is.
  std::vector<CriticalVariable> variables_to_search() const {
    if (!report_.critical.empty()) return report_.critical;
    std::map<std::uint64_t, std::uint32_t> first;
    std::vector<CriticalVariable> all;
    for (const RunEvent& event : passing_.events) {
      if (!format::is_access(event.kind) || event.object == 0) continue;
      const std::uint64_t granule = event.object / 8 * 8;
      const auto [found, added] = first.try_emplace(granule, event.thread);
      if (added || found->second == event.thread || found->second == ~0u) continue;
      found->second = ~0u;
      all.push_back({"", "", granule, 8});
    }
    return all;
  }

  Status search_schedule() {
    const Clock::time_point begin = Clock::now();
    const Priority priority =
        options_.search.method == SearchMethod::Temporal ? Priority::Temporal : Priority::Dependence;
    const std::vector<CriticalVariable> variables = variables_to_search();
    if (report_.critical.empty())
      report_.problems.push_back("no shared variable differs; all that threads share is searched");
    const CandidateList list = find_candidates(passing_, variables, aligned_position_, aligned_thread_, priority,
                                               options_.at_accesses);
    report_.candidates = list.candidates.size();
    report_.method = options_.search.method;
    report_.rank_seconds = seconds_since(begin);

    PlanRunner plans(program_, options_.run, runner_,
                     [this](const run::Outcome& outcome, const shrink::Plan& plan) { return match_of(outcome, plan); });
    if (Status begun = plans.begin(static_cast<std::uint32_t>(passing_.decisions.threads.size()), passing_.steps); !begun)
      return begun.error();
    Result<SearchReport> found = search(passing_, list, options_.search, plans, [this](std::uint64_t tries) {
      show_("try " + std::to_string(tries));
    });
    if (!found) return found.error();
    report_.tries = found->tries;
    report_.other_failures = found->other_failures;
    report_.exhausted = found->exhausted;
    report_.search_seconds = found->seconds;
    if (!found->plan) return done();
    report_.match = found->match;
    return keep_clip(*found->plan, found->outcome);
  }

  Status keep_clip(const shrink::Plan& plan, const run::Outcome& outcome) {
    report_.found = outcome;
    run::RunOptions options = options_.run;
    options.strategy = StrategyKind::Turns;
    Result<run::SessionInputs> inputs = shrink::inputs_of(plan);
    if (!inputs) return inputs.error();
    const std::string path = options_.out_directory + "/core-" + run::outcome_word(outcome.kind) + ".clip";
    Result<run::SavedClip> saved = run::save_clip(runner_, options, *inputs, outcome.kind, path);
    if (!saved) return saved.error();
    report_.clip = saved->path;
    report_.problems.insert(report_.problems.end(), saved->problems.begin(), saved->problems.end());
    Result<Rerun> again = reruns_->run(plan, Reruns::Freed::Ignored);
    if (!again) return done();
    for (const ThreadAlignment& alignment : again->alignments)
      if (alignment.aligned && alignment.aligned->exact && (report_.thread.empty() || alignment.thread == report_.thread))
        report_.index_matches = true;
    return done();
  }

  const CoreOptions& options_;
  const std::function<void(const std::string&)>& show_;
  run::Runner runner_;
  CoreReport report_;
  FailingCore failing_;
  run::ProgramFile program_;
  BlockTable table_;
  std::unique_ptr<ControlFlow> flow_;
  std::unique_ptr<Reruns> reruns_;
  shrink::Plan order_;
  Rerun passing_;
  CoreImage passing_image_;
  std::size_t aligned_position_ = 0;
  std::uint32_t aligned_thread_ = 0;
};

}  // namespace

Result<CoreReport> analyse_core(const CoreOptions& options, const std::function<void(const std::string&)>& show) {
  return CoreAnalysis(options, show).run();
}

}  // namespace heddle::coredump
