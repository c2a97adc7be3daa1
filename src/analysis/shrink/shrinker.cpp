#include "shrink/shrinker.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "experiment/clip_saver.h"
#include "run/interrupt.h"
#include "shrink/phases/phases.h"
#include "support/duration.h"

namespace heddle::shrink {
namespace {

using Clock = StopToken::Clock;
using format::OutcomeKind;
using format::StrategyKind;

constexpr std::chrono::seconds kBetweenClips{5};

// A schedule that cannot be followed may hang. It is stopped long before the original's time limit, unless the failure
// is a timeout.
void bound_runs(run::RunOptions& options, const run::RunReport& original) {
  constexpr std::chrono::milliseconds kTimeLow{10'000};
  if (original.outcome.kind == OutcomeKind::Timeout || options.timeout.count() == 0) return;
  const std::chrono::milliseconds enough(static_cast<std::int64_t>(std::ceil(100'000 * original.seconds)));
  options.timeout = std::min(options.timeout, std::max(kTimeLow, enough));
}

// Writes the best execution so far as a clip.
class ClipKeeper {
 public:
  ClipKeeper(const run::RunOptions& options, std::string signature, std::string path, run::Runner& runner)
      : options_(options),
        saving_(options.stop.for_saving()),
        signature_(std::move(signature)),
        path_(std::move(path)),
        runner_(runner) {}

  // Writes a clip unless the last one is recent.
  void keep_sometimes(const experiment::Schedule& schedule) {
    if (!saved_ || Clock::now() - last_ >= kBetweenClips) keep(schedule);
  }

  void keep(const experiment::Schedule& schedule) {
    const std::uint64_t wanted = experiment::fingerprint(schedule);
    if (saved_ && wanted == saved_schedule_) return;
    last_ = Clock::now();
    run::RunOptions options = options_;
    options.stop = saving_;
    options.annotate = options_.stop.is_out_of_time();
    options.strategy = StrategyKind::Turns;
    options.omitted = schedule.omitted;
    Result<run::SessionInputs> inputs = experiment::inputs_of(schedule);
    if (!inputs) return refuse(inputs.error().message);
    Result<run::RunReport> report = runner_.run_once(options, std::move(*inputs));
    if (!report) return refuse(report.error().message);
    if (report->interrupted) return refuse("interrupted");
    if (report->outcome.signature != signature_)
      return refuse("the smaller schedule ended with '" + report->outcome.signature +
                    "' the second time; see: heddle check");
    Result<experiment::SavedClip> saved = experiment::save_clip(runner_, options, std::move(*report), path_);
    if (!saved) return refuse(saved.error().message);
    saved_ = std::move(*saved);
    saved_schedule_ = wanted;
  }

  const std::optional<experiment::SavedClip>& saved() const { return saved_; }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void refuse(std::string problem) {
    if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end())
      problems_.push_back(std::move(problem));
  }

  const run::RunOptions& options_;
  const StopToken saving_;
  const std::string signature_;
  const std::string path_;
  run::Runner& runner_;
  std::uint64_t saved_schedule_ = 0;  // fingerprint
  Clock::time_point last_{};
  std::optional<experiment::SavedClip> saved_;
  std::vector<std::string> problems_;
};

std::uint64_t iterations_of(const FailureProfile& profile) {
  std::uint64_t count = 0;
  for (const LoopOfThread& loop : profile.loops)
    if (!loop.only_sliced) count += loop.iterations.size();
  return count;
}

std::size_t loops_of(const FailureProfile& profile) {
  std::set<std::string> names;
  for (const LoopOfThread& loop : profile.loops)
    if (!loop.only_sliced && !loop.iterations.empty()) names.insert(loop.loop);
  return names.size();
}

class Shrinker {
 public:
  Shrinker(const ShrinkOptions& options, const std::function<void(const Progress&)>& show)
      : options_(options), show_(show) {}

  Result<ShrinkReport> shrink(const clip::Clip& clip) {
    const run::InterruptGuard guard;
    Result<run::RunReport> original = verify(clip);
    if (!original) return original.error();
    if (!reproduced_) return finish();
    Result<run::RunOptions> run = trial_options(clip, *original);
    if (!run) return run.error();
    const Result<binary::ProgramFile> program = binary::find_program(run->program);
    if (!program) return program.error();

    Budget budget(original->events);
    FailureTrials trials(*program, *run, *original, runner_, budget);
    Recorder recorder(*program, *run, runner_, budget);
    RunProfiler profiler(trials, recorder, runner_, budget);
    SequentialOracle oracle(trials, recorder, budget);
    if (Status started = trials.start(original->threads - 1); !started) return started.error();
    ClipKeeper keeper(*run, original->outcome.signature, options_.out_path, runner_);
    Reduction reduction{budget,
                        trials,
                        profiler,
                        oracle,
                        {experiment::schedule_of(original->decisions, run->omitted), report_.before},
                        [&] {
                          show_progress();
                          keeper.keep_sometimes(reduction_->best.schedule);
                        }};
    reduction_ = &reduction;
    Status reduced = reduce(reduction, keeper);
    report_.rounds = budget.rounds();
    report_.steps = budget.steps();
    report_.steps_in_sequence = budget.unavoidable_steps();
    report_.problems = keeper.problems();
    if (!reduced) return reduced.error();
    return finish();
  }

 private:
  Result<ShrinkReport> finish() {
    report_.seconds = seconds_since(begin_);
    report_.interrupted = stop_.is_interrupted();
    report_.out_of_time = out_of_time_ && !report_.interrupted;
    return std::move(report_);
  }

  Result<run::RunReport> verify(const clip::Clip& clip) {
    run::ReplayOptions once = options_.replay;
    once.times = 1;
    once.output = run::Output::Discard;
    Result<run::ReplayReport> replayed = run::replay(clip, once, runner_);
    if (!replayed) return replayed.error();
    run::RunReport& run = replayed->last;
    report_.outcome = run.outcome;
    report_.before = {run.threads, run.events, run.switches, run.preemptions};
    report_.before_seconds = run.seconds;
    reproduced_ = replayed->verdict == run::Verdict::Reproduced && run.outcome.failed();
    return std::move(run);
  }

  Result<run::RunOptions> trial_options(const clip::Clip& clip, const run::RunReport& original) const {
    Result<run::RunOptions> run = run::replay_options(clip, options_.replay);
    if (!run) return run;
    // By site: the armed sites of the clip, as this build names them.
    if (!run::same_build(clip, *run)) {
      if (Result<run::SessionInputs> translated = run::site_replay_inputs(clip, *run); !translated)
        return translated.error();
    }
    run->output = run::Output::Discard;
    run->record_path.clear();
    run->stop = stop_;
    if (run->stdin_file.empty()) run->stdin_file = "/dev/null";
    bound_runs(*run, original);
    return run;
  }

  Status reduce(Reduction& reduction, ClipKeeper& keeper) {
    const FailureTrials& trials = reduction.trials;
    std::shared_ptr<const FailureProfile> start =
        reduction.profiler.profile_run(reduction.best.schedule, /*count_dependences=*/true);
    if (trials.error()) return *trials.error();
    if (!start && !trials.stopped()) {
      return Error{
          "the clip reproduces, but its schedule cannot be followed by turns: threads that run before main, or "
          "input that comes at another time",
          ExitCode::Uncontrolled};
    }
    std::optional<SequentialOrder> order;
    if (start) {
      reduction.best = start->failing;
      order = reduction.oracle.find_passing_order(*start);
    }
    if (trials.error()) return *trials.error();
    if (!order && !trials.stopped()) {
      report_.end = ShrinkReport::End::NotConcurrency;
      return ok_status();
    }
    bool few_threads = false;
    if (order && !trials.stopped()) few_threads = phase("threads", [&] { return guess_threads(reduction, *order); });
    report_.marks_iterations = reduction.profiler.marks_iterations();
    if (start) {
      report_.before.iterations = iterations_of(*start);
      report_.dependence = start->dependence;
      report_.loops = loops_of(*start);
    }
    start.reset();
    for (bool first = true, again = order.has_value(); again && !trials.stopped(); first = false)
      again = make_round(reduction, *order, first, few_threads);
    if (!trials.stopped()) phase("places", [&] { return place_preemptions(reduction); });
    return write(reduction, keeper);
  }

  // Makes one round of all phases. Returns true if another round is useful. Phases that shorten all later runs come
  // first; phases that try single items come when the runs are short. A guess that only prepares other phases is not a
  // reason for another round.
  bool make_round(Reduction& reduction, SequentialOrder& order, bool is_first, bool few_threads) {
    const auto skip_rest = [&] { phase("iterations", [&] { return skip_unreached(reduction, order); }); };
    const auto guess_one = [&] { phase("preemptions", [&] { return guess_preemption(reduction); }); };
    const auto remove = [&] { return phase("preemptions", [&] { return remove_preemptions(reduction); }); };
    bool smaller = is_first && few_threads;
    if (is_first) {
      // Only if the failing threads were guessed: with less work left, threads run less far after a preemption.
      if (few_threads && reduction.best.size.preemptions > Heuristics::kFewPreemptions) {
        skip_rest();
        guess_one();
      }
      smaller |= phase("iterations", [&] { return guess_iterations(reduction, order); });
      skip_rest();
      if (smaller && !few_threads) phase("threads", [&] { return guess_threads(reduction, order); });
    }
    if (!is_first || !few_threads) smaller |= phase("threads", [&] { return remove_threads(reduction, order); });
    guess_one();
    if (reduction.profiler.has_flow_table() && reduction.best.size.events != sliced_events_)
      smaller |= phase("slicing", [&] { return slice(reduction, order); });
    // A single preemption is tried last: it is usually needed, and a run without it continues to the end of the
    // program.
    const bool has_several = reduction.best.size.preemptions > 1;
    if (has_several) {
      phase("iterations", [&] { return terminate_parked_threads(reduction, order); });
      smaller |= remove();
    }
    smaller |= phase("iterations", [&] { return remove_iterations(reduction, order); });
    if (!has_several) smaller |= remove();
    if (!smaller) smaller = phase("search", [&] { return search_fewer_threads(reduction, order); });
    return smaller || phase("search", [&] { return search_fewer_preemptions(reduction, report_.fewest_preemptions); });
  }

  Status write(Reduction& reduction, ClipKeeper& keeper) {
    out_of_time_ = reduction.trials.stopped();
    if (reduction.profiler.marks_iterations() && !out_of_time_)
      if (const std::shared_ptr<const FailureProfile> last = reduction.profile_best())
        reduction.best.size.iterations = iterations_of(*last);
    keeper.keep(reduction.best.schedule);
    if (reduction.trials.error()) return *reduction.trials.error();
    if (!keeper.saved()) return Error{"no clip could be written: " + keeper.problems().front(), ExitCode::Uncontrolled};
    const run::RunReport& written = keeper.saved()->report;
    report_.end = ShrinkReport::End::Written;
    report_.after = {written.threads, written.events, written.switches, written.preemptions,
                     reduction.best.size.iterations};
    report_.after_seconds = written.seconds;
    report_.omitted = reduction.best.schedule.omitted;
    report_.clip = keeper.saved()->path;
    return ok_status();
  }

  bool slice(Reduction& reduction, const SequentialOrder& order) {
    SliceFigures figures;
    const bool smaller = skip_outside_slice(reduction, order, figures);
    sliced_events_ = reduction.best.size.events;
    if (!report_.slice)
      report_.slice = figures;
    else
      report_.slice->skipped += figures.skipped;
    return smaller;
  }

  // Runs a pass and adds its cost to the phase of that name.
  bool phase(const std::string& name, const std::function<bool()>& work) {
    const auto known = std::find_if(report_.phases.begin(), report_.phases.end(),
                                    [&](const Phase& other) { return other.name == name; });
    Phase& entry = known != report_.phases.end() ? *known : report_.phases.emplace_back(Phase{.name = name});
    phase_ = name;
    show_progress();
    const Clock::time_point begin = Clock::now();
    const std::uint64_t rounds = reduction_->budget.rounds();
    const std::uint64_t events = reduction_->best.size.events;
    const std::uint64_t steps = reduction_->budget.steps();
    const bool changed = work();
    entry.rounds += reduction_->budget.rounds() - rounds;
    entry.events_removed += events - std::min(events, reduction_->best.size.events);
    entry.steps += reduction_->budget.steps() - steps;
    entry.seconds += seconds_since(begin);
    return changed;
  }

  void show_progress() const {
    if (show_) show_({phase_, reduction_->budget.rounds(), reduction_->best.size});
  }

  const ShrinkOptions& options_;
  const std::function<void(const Progress&)>& show_;
  const Clock::time_point begin_ = Clock::now();
  const StopToken stop_ = options_.replay.stop.within(options_.time);
  run::Runner runner_;
  bool reproduced_ = false;
  bool out_of_time_ = false;
  Reduction* reduction_ = nullptr;
  std::uint64_t sliced_events_ = 0;  // events of the best execution after the last slicing
  std::string phase_;
  ShrinkReport report_;
};

}  // namespace

Result<ShrinkReport> shrink(const clip::Clip& clip, const ShrinkOptions& options,
                            const std::function<void(const Progress&)>& show) {
  return Shrinker(options, show).shrink(clip);
}

}  // namespace heddle::shrink
