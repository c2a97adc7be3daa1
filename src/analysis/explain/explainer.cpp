#include "explain/explainer.h"

#include <optional>
#include <unordered_set>

#include "clip/clip_reader.h"
#include "explain/cause_search.h"
#include "explain/heuristics.h"
#include "explain/timeline.h"
#include "explain/trials/program_oracle.h"
#include "explain/trials/reducer.h"
#include "explore/explorer.h"
#include "run/replay/clip_builder.h"
#include "run/runner.h"
#include "support/scratch_folder.h"

namespace heddle::explain {
namespace {

using experiment::Activity;
using format::OutcomeKind;

// The turn of `thread` in `run` that corresponds to `span`. `armed`: access sites whose points the span counts.
experiment::Turn find_turn(const Recording& run, ThreadId thread, const TurnSpan& span,
                           const std::unordered_set<std::uint32_t>& armed) {
  std::uint64_t counted = 0, done = 0;
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    const trace::Event& event = run.events[i];
    if (event.thread != thread || !is_point(event)) continue;
    const bool counts = !format::is_access(event.kind) || armed.contains(event.site);
    if (counts && counted == span.until) break;
    counted += counts;
    done = run.done[i];
    if (span.sleeps && counted == span.until) break;
  }
  return experiment::turn_until(thread, done, span.sleeps, span.blocks);
}

// Translates the order of a run with few armed sites for an oracle that arms more sites, and so counts more points. The
// oracle runs the program up to each switch in turn and counts the points passed there. `numbers`: threads of
// `recording`. REQUIRES: both runs are of one build.
Result<experiment::Turns> translate_order(const Recording& recording, const ThreadNumbers& numbers,
                                          ProgramOracle& oracle) {
  std::unordered_set<std::uint32_t> armed;
  for (const trace::Event& event : recording.events)
    if (format::is_access(event.kind)) armed.insert(event.site);
  const std::vector<TurnSpan> spans = turn_spans_of(recording);
  if (spans.size() > kRearmedSpansMax) return Error{"too many switches"};
  experiment::Turns order;
  for (const TurnSpan& span : spans) {
    if (oracle.time_is_up()) return Error{"out of time"};
    const ThreadId thread = oracle.threads().number_of(numbers.names()[number(span.thread)]);
    experiment::Turns ahead = order;
    experiment::append(ahead, experiment::turn_until_blocked(thread));
    const Result<Recording> run = oracle.record(ahead);
    if (!run) return run.error();
    experiment::append(order, find_turn(*run, thread, span, armed));
  }
  return order;
}

// One attempt to explain a clip. INVARIANT: at most one oracle exists, because each owns an InterruptGuard.
class ClipExplainer {
 public:
  ClipExplainer(const clip::Clip& clip, const ExplainOptions& options, const experiment::ShowProgress& show)
      : clip_(clip), options_(options), show_(show) {}

  Result<Explanation> run() {
    const auto begin = std::chrono::steady_clock::now();
    if (Status prepared = prepare(); !prepared) return prepared.error();
    Result<Recording> failing = replay();
    if (!failing) return failing.error();
    explanation_.preemptions_before = preemptions_in(turn_spans_of(*failing));
    Result<CauseDraft> cause = find_cause(std::move(*failing));
    if (!cause) return cause.error();
    build_timeline(*failing_, *cause, *oracle_, explanation_);
    explanation_.cause = std::move(cause->cause);
    explanation_.outcome = failing_->recording.report.outcome;
    explanation_.events = failing_->recording.report.events;
    explanation_.preemptions_after = preemptions_in(turn_spans_of(failing_->recording));
    explanation_.trials = oracle_->trials();
    explanation_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(explanation_);
  }

 private:
  Status prepare() {
    Result<run::RunOptions> options = run::replay_options(clip_, options_.replay);
    if (!options) return options.error();
    run_options_ = std::move(*options);
    run_options_.engine = format::EngineKind::Fiber;
    explanation_.program = run_options_.program;
    exact_ = run::same_build(clip_, run_options_);
    if (!exact_ && clip_.switches.empty() && clip_.end->switches > 0) {
      return Error{
          "the program is not the build that the clip was made with, and the clip does not say where its "
          "switches are; explain it on that build",
          ExitCode::Uncontrolled};
    }
    return ok_status();
  }

  // Opens an oracle with these options and records the replay. oracle_ is null if it cannot be opened.
  Result<Recording> replay_with(run::RunOptions options, format::StrategyKind strategy,
                                const Result<run::SessionInputs>& inputs) {
    if (!inputs) return inputs.error();
    oracle_.reset();
    Result<std::unique_ptr<ProgramOracle>> oracle = ProgramOracle::open(options, options_.time);
    if (!oracle) return oracle.error();
    oracle_ = std::move(*oracle);
    options.timeout = std::min(options.timeout, kReplayTimeoutMax);
    return oracle_->record_replay(std::move(options), strategy, *inputs);
  }

  // Records the clip's run with all sites armed. The clip arms only sites that other threads can disturb, but a reader
  // needs the accesses inside critical sections, too. The clip's switches are found by their places; failing that, the
  // order is translated; failing that, the recording has the clip's sites only.
  Result<Recording> replay() {
    using format::StrategyKind;
    show_({Activity::ReplayingClip});
    run::RunOptions armed = run_options_;
    const Result<run::SessionInputs> by_site = run::site_replay_inputs(clip_, armed);
    if (!exact_) return prepared(replay_with(armed, StrategyKind::ReplayBySite, by_site));
    Result<Recording> recording = replay_with(run_options_, StrategyKind::Replay, run::replay_inputs(clip_));
    if (!recording || (clip_.switches.empty() && clip_.end->switches > 0)) return prepared(std::move(recording));
    const OutcomeKind kind = recording->report.outcome.kind;
    const ThreadNumbers numbers = oracle_->threads();
    armed.arm_mode = format::ArmMode::All;
    armed.armed.clear();
    Result<Recording> whole = replay_with(armed, StrategyKind::ReplayBySite, by_site);
    // With more armed sites, a use of freed memory is detected earlier, or only then.
    if (whole && (whole->report.outcome.kind == kind || whole->report.outcome.kind == OutcomeKind::UseAfterFree))
      return prepared(std::move(whole));
    if (oracle_ == nullptr) return whole;
    oracle_->set_choices(choices_by_name(*recording, numbers));
    if (const Result<experiment::Turns> order = translate_order(*recording, numbers, *oracle_)) {
      // The order is the same, so the failure is, too, even if it is detected earlier.
      whole = oracle_->record(*order);
      if (whole && whole->report.outcome.failed()) return prepared(std::move(whole));
    }
    return prepared(replay_with(run_options_, StrategyKind::Replay, run::replay_inputs(clip_)));
  }

  // The woken threads, in the numbers of the oracle.
  std::vector<ThreadId> choices_by_name(const Recording& recording, const ThreadNumbers& numbers) {
    std::vector<ThreadId> choices;
    for (const ThreadId thread : recording.choices)
      choices.push_back(oracle_->threads().number_of(numbers.names()[number(thread)]));
    return choices;
  }

  // Configures the oracle to reproduce the failure of a recording.
  Result<Recording> prepared(Result<Recording> recording) {
    if (!recording) return recording;
    oracle_->set_failure(recording->report.outcome);
    oracle_->set_steps_max(kStepsMin + kStepsFactor * recording->report.events);
    oracle_->set_choices(recording->choices);
    return recording;
  }

  Result<CauseDraft> find_cause(Recording recording) {
    const experiment::Turns order = turns_of(turn_spans_of(recording));
    Result<Attempt> again = oracle_->attempt(order, 0);
    if (again && again->ending != Ending::Fails) {
      oracle_->run_apart();
      again = oracle_->attempt(order, 0);
    }
    if (!again) return again.error();
    explanation_.repeatable = again->ending == Ending::Fails;
    if (explanation_.repeatable) {
      show_({Activity::LeavingOutPreemptions});
      Result<Recording> reduced = reduce_preemptions(*oracle_, std::move(recording));
      if (!reduced) return reduced.error();
      recording = std::move(*reduced);
    }
    failing_ = observe(std::move(recording));
    if (failing_->recording.report.outcome.kind == OutcomeKind::Deadlock) return describe_deadlock(*failing_, *oracle_);
    if (!explanation_.repeatable) return CauseDraft{};
    show_({Activity::LookingForCause});
    Result<std::optional<CauseDraft>> cause = search_cause(*oracle_, failing_);
    if (!cause) return cause.error();
    return *cause ? std::move(**cause) : CauseDraft{};
  }

  const clip::Clip& clip_;
  const ExplainOptions& options_;
  const experiment::ShowProgress& show_;
  run::RunOptions run_options_;
  bool exact_ = true;
  std::unique_ptr<ProgramOracle> oracle_;
  ObservedPtr failing_;
  Explanation explanation_;
};

// A clip of the same failure with the fewest preemptions; nullopt if a short search finds none.
std::optional<clip::Clip> find_simpler(const clip::Clip& clip, const ExplainOptions& options,
                                       const Explanation& known) {
  const Result<run::RunOptions> run = run::replay_options(clip, options.replay);
  if (!run) return std::nullopt;
  const Result<ScratchFolder> folder = ScratchFolder::make();
  if (!folder) return std::nullopt;
  explore::ExploreOptions search;
  search.run = *run;
  search.run.output = run::Output::Discard;
  search.method = explore::Method::Preemptions;
  search.bound_max = kPreemptionsWanted;
  search.time = kSearchTime;
  search.runs = kSearchRuns;
  search.out_directory = folder->path();
  const Result<explore::ExploreReport> report = explore::explore(search, [](const explore::Progress&) {});
  if (!report) return std::nullopt;
  for (const explore::Failure& failure : report->failures) {
    if (failure.clip.empty() || failure.outcome.signature != known.outcome.signature) continue;
    Result<clip::ClipReading> reading = clip::read_clip(failure.clip);
    if (reading && reading->problems.empty() && reading->clip.end) return std::move(reading->clip);
  }
  return std::nullopt;
}

}  // namespace

Result<Explanation> explain(const clip::Clip& clip, const ExplainOptions& options,
                            const experiment::ShowProgress& show) {
  Result<Explanation> explanation = ClipExplainer(clip, options, show).run();
  if (!explanation || options.replay.stop.is_interrupted()) return explanation;
  const bool simple = explanation->preemptions_after <= kPreemptionsWanted && explanation->repeatable;
  if (simple && explanation->cause.kind != CauseKind::Unknown) return explanation;
  show({Activity::LookingForSimplerSchedule});
  const std::optional<clip::Clip> simpler = find_simpler(clip, options, *explanation);
  if (!simpler) return explanation;
  Result<Explanation> again = ClipExplainer(*simpler, options, show).run();
  if (!again || again->cause.kind == CauseKind::Unknown) return explanation;
  again->preemptions_before = explanation->preemptions_before;
  again->trials += explanation->trials;
  again->seconds += explanation->seconds;
  again->simpler_schedule = true;
  return again;
}

}  // namespace heddle::explain
