#include "validate/validator.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include "binary/program_file.h"
#include "experiment/clip_saver.h"
#include "experiment/trial_runner.h"
#include "run/interrupt.h"
#include "run/process/ring_sink.h"
#include "trace/thread_table.h"
#include "validate/anomaly_observer.h"
#include "validate/guided_schedule.h"
#include "validate/heuristics.h"

namespace heddle::validate {
namespace {

using format::OutcomeKind;
using predict::AnomalyKind;
using predict::Prediction;

constexpr const char* kEarlyFailureWord = "on-the-way";  // in the names of clips

bool is_blocking_anomaly(AnomalyKind kind) { return kind == AnomalyKind::Deadlock || kind == AnomalyKind::LostWakeup; }

bool is_stuck(const run::Outcome& outcome) {
  return outcome.kind == OutcomeKind::Deadlock || outcome.kind == OutcomeKind::LostWakeup;
}

// Observes one execution: whether its anomaly happens, and which paths its threads take.
class RunObserver final : public run::EventObserver {
 public:
  RunObserver(const GuidedSchedule& schedule, std::uint64_t base_step)
      : anomaly_(schedule.anomaly, schedule.adjacent, base_step) {}

  const AnomalyObserver& anomaly() const { return anomaly_; }
  RunPaths take_paths() { return paths_.take(); }

 private:
  void observe(std::span<const trace::Event> events) override {
    for (const trace::Event& event : events) {
      if (event.kind == format::EventKind::Fork) {
        threads_.add(ThreadId{static_cast<std::uint32_t>(event.object)}, event.thread);
        descents_ = threads_.descents();
      }
      if (event.kind == format::EventKind::Switch || !format::is_event(event.kind)) continue;
      const std::size_t thread = number(event.thread);
      const std::uint64_t descent = thread < descents_.size() ? descents_[thread] : 0;
      anomaly_.add(event.thread, descent, event);
      paths_.add(descent, event.site, event.kind);
    }
  }

  trace::ThreadTable threads_;
  std::vector<std::uint64_t> descents_ = threads_.descents();
  AnomalyObserver anomaly_;
  PathRecorder paths_;
};

// Identifies one execution of a prediction, so that it can be repeated.
struct Recipe {
  std::size_t prediction = 0;
  bool reversed = false;
  unsigned tail = 0;
};

struct Attempt {
  Recipe recipe;
  run::Outcome outcome;
  bool confirmed = false;
  bool followed = false;
  bool interrupted = false;
  bool early_timeout = false;  // a time-out fired although another thread could run
  std::size_t missing = 0;
  RunPaths paths;
};

// The results of all executions of one prediction.
struct Tried {
  ValidationResult result;
  std::optional<Attempt> kept;    // confirmed, preferably with a failure
  std::optional<Attempt> failed;  // not confirmed
  std::vector<Attempt> novel;     // with new paths
};

// The constant data that all workers share.
struct Batch {
  const binary::ProgramFile& program;
  const ValidateOptions& options;
  const std::vector<Prediction>& predictions;
  const Schedules& schedules;
  const KnownPaths& known;

  const GuidedSchedule& schedule(const Recipe& recipe) const {
    return (recipe.reversed ? schedules.reverse : schedules.forward)[recipe.prediction];
  }

  run::SessionInputs inputs(const Recipe& recipe) const {
    run::SessionInputs inputs;
    inputs.config.strategy = format::StrategyKind::Guided;
    inputs.config.default_order = 1;
    inputs.config.quantum = recipe.tail == 0 ? 0 : kTailQuantum;
    inputs.config.seed = options.seed + recipe.tail;
    inputs.config.steps_max = options.run.steps_max;
    inputs.descents = schedules.descents;
    inputs.descent_names = schedules.names;
    inputs.choices = schedules.choices;
    inputs.runs = schedule(recipe).runs;
    return inputs;
  }
};

// Executes predictions one after the other, each several times: in the predicted order, and for a race also in the
// reverse order, since a benign order often hides a harmful one. In the first execution of an
// order, threads run until they block after the schedule; if it confirms the anomaly without a failure, up to `tails`
// further executions preempt at random, because the failure may need more interference after the anomaly.
class Worker {
 public:
  explicit Worker(const Batch& batch)
      : batch_(batch), trials_(batch.program, batch.options.run, server_options(batch), runner_) {}

  Result<Tried> work_on(std::size_t index) {
    Tried tried;
    for (const bool reversed : {false, true}) {
      if (batch_.schedule({index, reversed, 0}).runs.empty() || (tried.kept && tried.kept->outcome.failed())) continue;
      for (unsigned tail = 0; tail <= batch_.options.tails; ++tail) {
        Result<Attempt> attempt = execute({index, reversed, tail});
        if (!attempt) return attempt.error();
        if (attempt->interrupted) return tried;
        if (!add(std::move(*attempt), tried)) break;
      }
    }
    return tried;
  }

 private:
  // True if the order deserves another continuation.
  bool add(Attempt attempt, Tried& tried) {
    if (!attempt.outcome.failed() && !batch_.known.has(attempt.paths.signature) &&
        std::ranges::none_of(tried.novel,
                             [&](const Attempt& other) { return other.paths.signature == attempt.paths.signature; }))
      tried.novel.push_back(attempt);
    ValidationResult& result = tried.result;
    if (!attempt.confirmed) {
      if (attempt.outcome.failed() && !tried.failed) tried.failed = attempt;
      if (result.status != ValidationStatus::Confirmed && attempt.recipe.tail == 0) {
        result.status = attempt.followed ? ValidationStatus::NotReached : ValidationStatus::Infeasible;
        result.missing = attempt.missing;
      }
      return false;
    }
    result.status = ValidationStatus::Confirmed;
    const bool failed = attempt.outcome.failed();
    if (!tried.kept || failed) tried.kept = std::move(attempt);
    return !failed;
  }

  Result<Attempt> execute(const Recipe& recipe) {
    if (Status started = trials_.start(); !started) return started.error();
    const GuidedSchedule& schedule = batch_.schedule(recipe);
    RunObserver observer(schedule, trials_.base_step());
    Result<experiment::Trial> trial = trials_.run(batch_.inputs(recipe), {.sink = &observer});
    if (!trial) return trial.error();
    Attempt attempt;
    attempt.recipe = recipe;
    attempt.outcome = std::move(trial->outcome);
    attempt.interrupted = trial->interrupted;
    attempt.early_timeout = trial->early_timeouts.count != 0;
    attempt.followed = trial->switches_met + 1 >= schedule.runs.size();
    attempt.missing = observer.anomaly().first_missing();
    // Threads that wait for each other have no further event: the proof is that no thread can run.
    attempt.confirmed = is_blocking_anomaly(batch_.predictions[recipe.prediction].kind) ? is_stuck(attempt.outcome)
                                                                                        : observer.anomaly().happened();
    attempt.paths = observer.take_paths();
    return attempt;
  }

  static run::ServerOptions server_options(const Batch& batch) {
    constexpr std::size_t kHostsMax = 32;
    return {.hosts = static_cast<std::uint32_t>(std::min(kHostsMax, batch.schedules.descents.size() - 1)),
            .record = true};
  }

  const Batch& batch_;
  run::Runner runner_;
  experiment::TrialRunner trials_;
};

// Executes predictions on the requested number of processors until the time is up. The results have the order of the
// predictions.
Result<std::vector<Tried>> execute_all(const Batch& batch, const std::function<void(std::size_t)>& show) {
  std::vector<Tried> results(batch.predictions.size());
  std::atomic<std::size_t> next{0}, finished{0};
  std::mutex mutex;
  std::optional<Error> error;
  const auto work = [&] {
    Worker worker(batch);
    for (std::size_t index = next++; index < results.size() && !batch.options.run.stop.stop_requested();
         index = next++) {
      Result<Tried> tried = worker.work_on(index);
      const std::lock_guard lock(mutex);
      if (!tried) {
        if (!error) error = tried.error();
        return;
      }
      results[index] = std::move(*tried);
      ++finished;
      show(finished);
    }
  };
  const unsigned jobs =
      batch.options.jobs != 0 ? batch.options.jobs : std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::min<std::size_t>(jobs, results.size()); ++i) threads.emplace_back(work);
  }
  if (error && finished == 0) return *error;
  return results;
}

// Repeats the run of an attempt, saves it as a clip, and gives the outcome its signature. Returns the path; empty if
// the repeated run ended differently.
std::string save_clip_of(const Batch& batch, run::Runner& runner, const Recipe& recipe, const char* word,
                         run::Outcome& outcome) {
  const run::SessionInputs inputs = batch.inputs(recipe);
  run::RunOptions options = batch.options.run;
  run::set_schedule(options, inputs.config);
  const std::string name = std::filesystem::path(options.program).filename().string() + "-" + word + "-" +
                           std::to_string(batch.options.first_number + recipe.prediction + 1) + ".clip";
  Result<experiment::SavedClip> saved = experiment::save_clip(
      runner, options, inputs, outcome.kind, (std::filesystem::path(batch.options.out_directory) / name).string());
  if (!saved) return "";
  outcome = saved->report.outcome;
  return saved->path;
}

// The runs with the most new steps, each compared also with those chosen before it.
std::vector<NovelRun> choose_novel(const Batch& batch, std::vector<Tried>& results) {
  std::vector<Attempt> pool;
  for (Tried& tried : results) std::ranges::move(tried.novel, std::back_inserter(pool));
  KnownPaths known = batch.known;
  std::vector<NovelRun> chosen;
  while (chosen.size() < batch.options.novel_max) {
    std::optional<Attempt> best = take_most_novel(pool, known);
    if (!best) break;
    chosen.push_back({batch.inputs(best->recipe), std::move(best->paths)});
  }
  return chosen;
}

}  // namespace

void arm_all_and_discard_output(run::RunOptions& options) {
  options.arm_mode = format::ArmMode::All;
  options.armed.clear();
  options.output = run::Output::Discard;
  if (options.stdin_file.empty()) options.stdin_file = "/dev/null";
}

const char* status_word(ValidationStatus status) {
  constexpr const char* kWords[] = {"confirmed", "infeasible", "not_reached", "predicted"};
  static_assert(std::size(kWords) == static_cast<std::size_t>(ValidationStatus::Predicted) + 1);
  return kWords[static_cast<unsigned>(status)];
}

Result<Validation> validate(trace::TraceReader& reader, const std::vector<Prediction>& predictions,
                            const ValidateOptions& given, const KnownPaths& known,
                            const std::function<void(std::size_t)>& show) {
  ValidateOptions options = given;
  arm_all_and_discard_output(options.run);
  options.run.record_path.clear();
  Result<binary::ProgramFile> program = binary::find_program(options.run.program);
  if (!program) return program.error();
  const run::InterruptGuard guard;
  const Result<Schedules> schedules = make_schedules(reader, predictions);
  if (!schedules) return schedules.error();

  const Batch batch{*program, options, predictions, *schedules, known};
  Result<std::vector<Tried>> results = execute_all(batch, show);
  if (!results) return results.error();
  Validation validation;
  run::Runner runner;
  const bool stopped = options.run.stop.stop_requested();
  options.run.stop = options.run.stop.for_saving();
  options.run.annotate = stopped;  // repeats a run once only
  for (std::size_t i = 0; i < results->size(); ++i) {
    Tried& tried = (*results)[i];
    const bool fails = tried.kept && tried.kept->outcome.failed();
    const char* const word = predict::anomaly_kind_word(predictions[i].kind);
    if (tried.kept && (fails || (options.clips_of_benign && !stopped)))
      tried.result.clip = save_clip_of(batch, runner, tried.kept->recipe, word, tried.kept->outcome);
    if (fails) tried.result.failure = tried.kept->outcome;
    if (fails) tried.result.early_timeout = tried.kept->early_timeout;
    if (tried.failed && !fails) {
      EarlyFailure failure{i, tried.failed->missing, tried.failed->outcome, ""};
      failure.clip = save_clip_of(batch, runner, tried.failed->recipe, kEarlyFailureWord, failure.failure);
      if (!failure.clip.empty()) validation.failures.push_back(std::move(failure));
    }
    validation.results.push_back(std::move(tried.result));
  }
  validation.novel = choose_novel(batch, *results);
  return validation;
}

}  // namespace heddle::validate
