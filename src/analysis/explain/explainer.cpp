#include "explain/explainer.h"

#include <optional>

#include "clip/clip_reader.h"
#include "explain/cause.h"
#include "explain/timeline.h"
#include "explain/trials/laboratory.h"
#include "explain/trials/pattern.h"
#include "explain/trials/rearming.h"
#include "explain/trials/reducer.h"
#include "explore/explorer.h"
#include "run/replay/clip_builder.h"
#include "run/runner.h"
#include "support/scratch_folder.h"

namespace heddle::explain {
namespace {

using format::OutcomeKind;

// Looking for a thread that should have been first, so many switches are gone back.
constexpr std::size_t kStartsMax = 40;
// A trial that makes so many steps more than the clip is taken for one that does not end.
constexpr std::uint64_t kStepsMin = 20'000, kStepsFactor = 20;
// A schedule with more preemptions than most bugs need is worth looking for a simpler one.
constexpr std::size_t kPreemptionsWanted = 2;
constexpr std::chrono::milliseconds kSearchTime{6'000};
constexpr std::uint64_t kSearchRuns = 20'000;
constexpr std::chrono::milliseconds kReplayTimeoutMax{20'000};

class Explaining {
 public:
  Explaining(const clip::Clip& clip, const ExplainOptions& options, const std::function<void(const std::string&)>& show)
      : clip_(clip), options_(options), show_(show) {}

  Result<Explanation> run() {
    const auto begin = std::chrono::steady_clock::now();
    if (Status prepared = prepare(); !prepared) return prepared.error();
    Result<Recording> failing = replay();
    if (!failing) return failing.error();
    explanation_.preemptions_before = preemptions_in(stretches_of(*failing));
    Result<CauseDraft> cause = find_cause(std::move(*failing));
    if (!cause) return cause.error();
    build_timeline(*failing_, *cause, *laboratory_, explanation_);
    explanation_.cause = std::move(cause->cause);
    explanation_.outcome = failing_->recording.report.outcome;
    explanation_.events = failing_->recording.report.events;
    explanation_.preemptions_after = preemptions_in(stretches_of(failing_->recording));
    explanation_.trials = laboratory_->trials();
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

  Status open_laboratory(const run::RunOptions& options) {
    laboratory_.reset();
    Result<std::unique_ptr<Laboratory>> laboratory = Laboratory::open(options, options_.time);
    if (!laboratory) return laboratory.error();
    laboratory_ = std::move(*laboratory);
    return ok_status();
  }

  // The clip arms only what another thread can disturb. To tell what a critical section is about, what happens inside
  // of it is wanted, too: the same switches are found by their places in a run with everything armed.
  Result<Recording> replay() {
    show_("replaying the clip");
    run::RunOptions armed = run_options_;
    Result<run::SessionInputs> by_site = run::site_replay_inputs(clip_, armed);
    if (exact_) {
      if (Status opened = open_laboratory(run_options_); !opened) return opened.error();
      Result<Recording> recording = replay_once(run_options_, format::StrategyKind::Replay, run::replay_inputs(clip_));
      if (!recording) return recording;
      if (clip_.switches.empty() && clip_.end->switches > 0) return prepared(std::move(*recording));
      const OutcomeKind kind = recording->report.outcome.kind;
      const ThreadNumbers numbers = laboratory_->threads();
      armed.arm_mode = format::ArmMode::All;
      armed.armed.clear();
      if (Status opened = open_laboratory(armed); !opened) return opened.error();
      Result<Recording> whole = replay_once(armed, format::StrategyKind::ReplayBySite, std::move(by_site));
      // With more of them armed a use of freed memory is seen at an earlier place, or at all.
      if (whole && (whole->report.outcome.kind == kind || whole->report.outcome.kind == OutcomeKind::UseAfterFree))
        return prepared(std::move(*whole));
      laboratory_->set_choices(choices_by_name(*recording, numbers));
      if (const Result<experiment::Turns> order = translate_order(*recording, numbers, *laboratory_)) {
        // The same order, so the same failure, even when it is noticed earlier.
        whole = laboratory_->record(*order);
        if (whole && whole->report.outcome.failed()) return prepared(std::move(*whole));
      }
      if (Status opened = open_laboratory(run_options_); !opened) return opened.error();
      recording = replay_once(run_options_, format::StrategyKind::Replay, run::replay_inputs(clip_));
      return recording ? prepared(std::move(*recording)) : std::move(recording);
    }
    if (Status opened = open_laboratory(armed); !opened) return opened.error();
    Result<Recording> recording = replay_once(armed, format::StrategyKind::ReplayBySite, std::move(by_site));
    return recording ? prepared(std::move(*recording)) : std::move(recording);
  }

  Result<Recording> replay_once(run::RunOptions options, format::StrategyKind strategy,
                                Result<run::SessionInputs> inputs) {
    if (!inputs) return inputs.error();
    options.strategy = strategy;
    options.timeout = std::min(options.timeout, kReplayTimeoutMax);
    Result<Recording> recording = laboratory_->record_inputs(options, *inputs);
    if (!recording) return recording;
    const run::RunReport& report = recording->report;
    if (report.interrupted) return Error{"interrupted"};
    if (report.divergence)
      return Error{"the clip does not replay: " + report.divergence->what + "; see: heddle replay",
                   ExitCode::Uncontrolled};
    if (!report.outcome.failed())
      return Error{"the clip's program ended well, so there is nothing to explain", ExitCode::Found};
    return recording;
  }

  // Who was woken, in the numbers of the laboratory.
  std::vector<ThreadId> choices_by_name(const Recording& recording, const ThreadNumbers& numbers) {
    std::vector<ThreadId> choices;
    for (const ThreadId thread : recording.choices)
      choices.push_back(laboratory_->threads().number_of(numbers.names()[number(thread)]));
    return choices;
  }

  Recording prepared(Recording recording) {
    const run::RunReport& report = recording.report;
    laboratory_->set_failure(report.outcome);
    laboratory_->set_steps_max(kStepsMin + kStepsFactor * report.events);
    laboratory_->set_choices(recording.choices);
    return recording;
  }

  static CauseDraft untold(const char* why) {
    CauseDraft none;
    none.cause.text = why;
    return none;
  }

  Result<CauseDraft> find_cause(Recording recording) {
    const experiment::Turns order = turns_of(stretches_of(recording));
    Result<Attempt> again = laboratory_->attempt(order, 0);
    if (again && again->ending != Ending::Fails) {
      laboratory_->run_apart();
      again = laboratory_->attempt(order, 0);
    }
    if (!again) return again.error();
    const bool can_experiment = again->ending == Ending::Fails;
    if (!can_experiment)
      explanation_.problems.push_back("the schedule could not be repeated for experiments: no cause was looked for");
    if (can_experiment) {
      show_("leaving out preemptions");
      Result<Recording> reduced = reduce_preemptions(*laboratory_, std::move(recording));
      if (!reduced) return reduced.error();
      recording = std::move(*reduced);
    }
    failing_ = observe(std::move(recording));
    if (failing_->recording.report.outcome.kind == OutcomeKind::Deadlock) return tell_deadlock(*failing_, *laboratory_);
    if (!can_experiment)
      return untold("it was not looked for, since the schedule could not be repeated for experiments");
    show_("looking for the cause");
    Result<std::optional<CauseDraft>> cause = look_for_cause();
    if (!cause) return cause.error();
    if (*cause) return std::move(**cause);
    return untold("no change of the schedule that was tried makes the failure disappear");
  }

  // What the program does with its memory says more than how its primitives work, except when it waits for them; and
  // what had begun and was disturbed more than what merely came first.
  Result<std::optional<CauseDraft>> look_for_cause() {
    const bool waits = failing_->recording.report.outcome.kind == OutcomeKind::LostWakeup;
    PatternFinder finder(*laboratory_, failing_);
    std::optional<CauseDraft> partial;
    for (const Want want : {Want::Memory, Want::Waiting}) {
      if (waits) break;
      Result<std::optional<CauseDraft>> whole = at_preemptions(finder, want, partial);
      if (!whole || *whole) return whole;
    }
    if (!waits) {
      Result<std::optional<CauseDraft>> whole = at_blocks(finder, Want::Waiting);
      if (!whole || *whole) return whole;
    }
    if (partial) return partial;
    for (const Want want : {Want::Memory, Want::Anything}) {
      if (waits && want == Want::Memory) continue;
      Result<std::optional<CauseDraft>> cause = at_preemptions(finder, want, partial);
      if (!cause || *cause) return cause;
      if (partial) return partial;
      cause = at_starts(finder, want);
      if (!cause || *cause) return cause;
    }
    return std::optional<CauseDraft>{};
  }

  // The last preemption before the others: it is the nearest to the failure. But one at which a thread goes on with
  // what it has read before comes first.
  Result<std::optional<CauseDraft>> at_preemptions(PatternFinder& finder, Want want,
                                                   std::optional<CauseDraft>& partial) {
    const std::vector<TurnSpan>& stretches = finder.stretches();
    std::optional<CauseDraft> whole;
    for (std::size_t i = stretches.size(); i-- > 0 && !laboratory_->time_is_up();) {
      if (!stretches[i].preempted) continue;
      Result<std::optional<Pattern>> pattern = finder.at_preemption(i, want);
      if (!pattern) return pattern.error();
      if (!*pattern || !(*pattern)->last) continue;
      CauseDraft told = describe_pattern(**pattern, *failing_, *laboratory_);
      std::optional<CauseDraft>& slot = (*pattern)->first ? whole : partial;
      if (!slot || (told.stale && !slot->stale)) slot = std::move(told);
    }
    return whole;
  }

  // A thread that had to wait for a lock was stopped as well, though nobody preempted it.
  Result<std::optional<CauseDraft>> at_blocks(PatternFinder& finder, Want want) {
    std::optional<CauseDraft> whole;
    for (std::size_t i = finder.stretches().size(); i-- > 0 && !laboratory_->time_is_up();) {
      Result<std::optional<Pattern>> pattern = finder.at_block(i, want);
      if (!pattern) return pattern.error();
      if (!*pattern || !(*pattern)->first) continue;
      CauseDraft told = describe_pattern(**pattern, *failing_, *laboratory_);
      if (!whole || (told.stale && !whole->stale)) whole = std::move(told);
    }
    return whole;
  }

  // Threads that might have been first.
  Result<std::optional<CauseDraft>> at_starts(PatternFinder& finder, Want want) {
    const std::vector<TurnSpan>& stretches = finder.stretches();
    std::size_t tried = 0;
    for (std::size_t i = stretches.size(); i-- > 1 && tried < kStartsMax && !laboratory_->time_is_up(); ++tried) {
      for (std::uint32_t thread = 0; thread < laboratory_->threads().names().size(); ++thread) {
        if (stretches[i].thread == ThreadId{thread} || !existed_at(stretches[i].begin, ThreadId{thread})) continue;
        Result<std::optional<Pattern>> pattern = finder.at_start(i, ThreadId{thread}, want);
        if (!pattern) return pattern.error();
        if (*pattern && (*pattern)->last) return std::optional(describe_pattern(**pattern, *failing_, *laboratory_));
      }
    }
    return std::optional<CauseDraft>{};
  }

  bool existed_at(std::size_t event, ThreadId thread) const {
    bool created = thread == kMainThread;
    for (std::size_t i = 0; i < event; ++i) {
      const trace::Event& earlier = failing_->recording.events[i];
      if (earlier.kind == format::EventKind::Fork && earlier.object == number(thread)) created = true;
      if (earlier.kind == format::EventKind::Exit && earlier.thread == thread) return false;
    }
    return created;
  }

  const clip::Clip& clip_;
  const ExplainOptions& options_;
  const std::function<void(const std::string&)>& show_;
  run::RunOptions run_options_;
  bool exact_ = true;
  std::unique_ptr<Laboratory> laboratory_;
  ObservedPtr failing_;
  Explanation explanation_;
};

}  // namespace

namespace {

// A clip of the same failure that has as few preemptions as there are, when a short search finds one.
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

Result<Explanation> explain_simply(const clip::Clip& clip, const ExplainOptions& options,
                                   const std::function<void(const std::string&)>& show) {
  Result<Explanation> explanation = Explaining(clip, options, show).run();
  if (!explanation || options.replay.stop.is_interrupted()) return explanation;
  const bool simple = explanation->preemptions_after <= kPreemptionsWanted && explanation->problems.empty();
  if (simple && explanation->cause.kind != CauseKind::Unknown) return explanation;
  show("looking for a simpler schedule with the same failure");
  const std::optional<clip::Clip> simpler = find_simpler(clip, options, *explanation);
  if (!simpler) return explanation;
  Result<Explanation> again = Explaining(*simpler, options, show).run();
  if (!again || again->cause.kind == CauseKind::Unknown) return explanation;
  again->preemptions_before = explanation->preemptions_before;
  again->trials += explanation->trials;
  again->seconds += explanation->seconds;
  again->problems.push_back("told by a simpler schedule that fails in the same way");
  return again;
}

}  // namespace

Result<Explanation> explain(const clip::Clip& clip, const ExplainOptions& options,
                            const std::function<void(const std::string&)>& show) {
  Result<Explanation> explanation = explain_simply(clip, options, show);
  if (explanation && explanation->lacks_types)
    explanation->problems.push_back(
        "the debug information has no types: build with -g, and variables are called by name");
  return explanation;
}

}  // namespace heddle::explain
