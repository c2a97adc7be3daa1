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

using Clock = Laboratory::Clock;
using format::OutcomeKind;
using format::StrategyKind;

constexpr std::uint64_t kRandomOrders = 20;
constexpr std::uint64_t kFewStops = 2;  // not worth a long run
constexpr std::chrono::seconds kBetweenClips{5};

// A plan that cannot be followed may hang: it is given up long before the original's bound, unless that is what the
// failure is about.
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
      : options_(options), signature_(std::move(signature)), path_(std::move(path)), runner_(runner) {}

  // Not if the last one is only a moment old.
  void keep_sometimes(const experiment::Schedule& plan) {
    if (!written_ || Clock::now() - last_ >= kBetweenClips) keep(plan);
  }

  void keep(const experiment::Schedule& plan) {
    const std::uint64_t wanted = experiment::fingerprint(plan);
    if (written_ && wanted == written_plan_) return;
    last_ = Clock::now();
    run::RunOptions options = options_;
    options.stop = {};  // what was found is written
    options.strategy = StrategyKind::Turns;
    options.omitted = plan.omitted;
    Result<run::SessionInputs> inputs = experiment::inputs_of(plan);
    if (!inputs) return refuse(inputs.error().message);
    Result<run::RunReport> report = runner_.run_once(options, std::move(*inputs));
    if (!report) return refuse(report.error().message);
    if (report->outcome.signature != signature_)
      return refuse("the smaller schedule ended with '" + report->outcome.signature +
                    "' the second time; see: heddle check");
    Result<experiment::SavedClip> saved = experiment::save_clip(runner_, options, std::move(*report), path_);
    if (!saved) return refuse(saved.error().message);
    saved_ = std::move(*saved);
    written_ = true;
    written_plan_ = wanted;
  }

  bool written() const { return written_; }
  const experiment::SavedClip& saved() const { return saved_; }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void refuse(std::string problem) {
    if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end())
      problems_.push_back(std::move(problem));
  }

  const run::RunOptions& options_;
  const std::string signature_;
  const std::string path_;
  run::Runner& runner_;
  bool written_ = false;
  std::uint64_t written_plan_ = 0;
  Clock::time_point last_{};
  experiment::SavedClip saved_;
  std::vector<std::string> problems_;
};

// One in which the program, with all its threads, passes.
std::optional<SequentialOrder> find_passing_order(Laboratory& laboratory, const RunProfile& failing) {
  std::vector<SequentialOrder> orders = {{StrategyKind::Sequential, 0}, {StrategyKind::SequentialReverse, 0}};
  for (std::uint64_t seed = 1; seed <= kRandomOrders; ++seed) orders.push_back({StrategyKind::SequentialRandom, seed});
  for (const SequentialOrder& order : orders) {
    if (laboratory.stopped()) return std::nullopt;
    if (laboratory.learn_check(order, failing)) return order;
  }
  return std::nullopt;
}

std::uint64_t iterations_of(const RunProfile& studied) {
  std::uint64_t count = 0;
  for (const LoopOfThread& loop : studied.loops)
    if (!loop.only_sliced) count += loop.iterations.size();
  return count;
}

std::size_t loops_of(const RunProfile& studied) {
  std::set<std::string> names;
  for (const LoopOfThread& loop : studied.loops)
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

    Laboratory laboratory(*program, *run, *original, runner_);
    if (Status begun = laboratory.begin(original->threads - 1); !begun) return begun.error();
    ClipKeeper keeper(*run, original->outcome.signature, options_.out_path, runner_);
    Status reduced = reduce(laboratory, experiment::schedule_of(original->decisions, run->omitted), keeper);
    report_.rounds = laboratory.rounds();
    report_.steps = laboratory.steps();
    report_.steps_in_sequence = laboratory.steps_in_sequence();
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

  Status reduce(Laboratory& laboratory, experiment::Schedule plan, ClipKeeper& keeper) {
    std::shared_ptr<const RunProfile> start = laboratory.profile_run(plan, /*count_dependences=*/true);
    if (laboratory.error()) return *laboratory.error();
    if (!start && !laboratory.stopped()) {
      return Error{
          "the clip reproduces, but its schedule cannot be followed by turns: threads that run before main, or "
          "input that comes at another time",
          ExitCode::Uncontrolled};
    }
    Reduction reduction{laboratory, start ? start->failing : FailingRun{std::move(plan), report_.before}, [&] {
                          tell();
                          keeper.keep_sometimes(reduction_->best.plan);
                        }};
    reduction_ = &reduction;
    std::optional<SequentialOrder> order;
    if (start) order = find_passing_order(laboratory, *start);
    if (laboratory.error()) return *laboratory.error();
    if (!order && !laboratory.stopped()) {
      report_.end = ShrinkReport::End::NotConcurrency;
      return ok_status();
    }
    bool few_threads = false;
    if (order && !laboratory.stopped())
      few_threads = phase("threads", [&] { return guess_threads(reduction, *order); });
    report_.marks_iterations = laboratory.marks_iterations();
    if (start) report_.before.iterations = iterations_of(*start);
    if (start) report_.dependence = start->dependence;
    if (start) report_.loops = loops_of(*start);
    start.reset();
    // What makes all later runs shorter comes first, and what looks at one thing after the other when they are short.
    bool smaller = order.has_value();
    for (bool first = true; smaller && !laboratory.stopped(); first = false) {
      smaller = first && few_threads;
      if (smaller && reduction.best.size.preemptions > kFewStops) {
        // Who goes on when another is stopped has less to do then.
        phase("iterations", [&] { return skip_unreached(reduction, *order); });
        phase("preemptions", [&] { return guess_preemption(reduction); });
      }
      if (first) {
        smaller = phase("iterations", [&] { return guess_iterations(reduction, *order); }) || smaller;
        phase("iterations", [&] { return skip_unreached(reduction, *order); });
      }
      if (first && smaller && !few_threads) phase("threads", [&] { return guess_threads(reduction, *order); });
      if (!first || !few_threads) smaller = phase("threads", [&] { return remove_threads(reduction, *order); }) || smaller;
      phase("preemptions", [&] { return guess_preemption(reduction); });
      if (laboratory.tells_flow() && reduction.best.size.events != sliced_events_)
        smaller = phase("slicing", [&] { return slice(reduction, *order); }) || smaller;
      // One stop is no more to be gained, and each run without it goes on to the end of the program.
      const bool stops_last = reduction.best.size.preemptions <= 1;
      if (!stops_last) {
        phase("iterations", [&] { return terminate_parked_threads(reduction, *order); });
        smaller = phase("preemptions", [&] { return remove_preemptions(reduction); }) || smaller;
      }
      smaller = phase("iterations", [&] { return remove_iterations(reduction, *order); }) || smaller;
      if (stops_last) smaller = phase("preemptions", [&] { return remove_preemptions(reduction); }) || smaller;
      if (!smaller) smaller = phase("search", [&] { return search_fewer_threads(reduction, *order); });
      if (!smaller)
        smaller = phase("search", [&] { return search_fewer_preemptions(reduction, report_.fewest_preemptions); });
    }
    if (!laboratory.stopped()) phase("places", [&] { return place_preemptions(reduction); });
    out_of_time_ = laboratory.stopped();
    if (laboratory.marks_iterations() && !out_of_time_)
      if (const std::shared_ptr<const RunProfile> last = laboratory.profile_run(reduction.best.plan))
        reduction.best.size.iterations = iterations_of(*last);
    keeper.keep(reduction.best.plan);
    if (laboratory.error()) return *laboratory.error();
    if (!keeper.written())
      return Error{"no clip could be written: " + keeper.problems().front(), ExitCode::Uncontrolled};
    const run::RunReport& written = keeper.saved().report;
    report_.end = ShrinkReport::End::Written;
    report_.after = {written.threads, written.events, written.switches, written.preemptions,
                     reduction.best.size.iterations};
    report_.after_seconds = written.seconds;
    report_.omitted = reduction.best.plan.omitted;
    report_.clip = keeper.saved().path;
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

  // Phases of one name add up.
  bool phase(const std::string& name, const std::function<bool()>& work) {
    const auto known = std::find_if(report_.phases.begin(), report_.phases.end(),
                                    [&](const Phase& other) { return other.name == name; });
    Phase& entry = known != report_.phases.end() ? *known : report_.phases.emplace_back(Phase{.name = name});
    phase_ = name;
    tell();
    const Clock::time_point begin = Clock::now();
    const std::uint64_t rounds = reduction_->laboratory.rounds();
    const std::uint64_t events = reduction_->best.size.events;
    const std::uint64_t steps = reduction_->laboratory.steps();
    const bool changed = work();
    entry.rounds += reduction_->laboratory.rounds() - rounds;
    entry.events_removed += events - std::min(events, reduction_->best.size.events);
    entry.steps += reduction_->laboratory.steps() - steps;
    entry.seconds += seconds_since(begin);
    return changed;
  }

  void tell() const {
    if (show_) show_({phase_, reduction_->laboratory.rounds(), reduction_->best.size});
  }

  const ShrinkOptions& options_;
  const std::function<void(const Progress&)>& show_;
  const Clock::time_point begin_ = Clock::now();
  const StopToken stop_ = options_.replay.stop.within(options_.time);
  run::Runner runner_;
  bool reproduced_ = false;
  bool out_of_time_ = false;
  Reduction* reduction_ = nullptr;
  std::uint64_t sliced_events_ = 0;  // of the execution that was left by the last slicing
  std::string phase_;
  ShrinkReport report_;
};

}  // namespace

Result<ShrinkReport> shrink(const clip::Clip& clip, const ShrinkOptions& options,
                            const std::function<void(const Progress&)>& show) {
  return Shrinker(options, show).shrink(clip);
}

}  // namespace heddle::shrink
