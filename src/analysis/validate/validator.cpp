#include "validate/validator.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "binary/program_file.h"
#include "experiment/clip_saver.h"
#include "experiment/trial_runner.h"
#include "run/interrupt.h"
#include "validate/guided_schedule.h"
#include "validate/heuristics.h"
#include "validate/run_watch.h"

namespace heddle::validate {
namespace {

using format::OutcomeKind;
using predict::AnomalyKind;
using predict::Prediction;

constexpr const char* kOrderWord = "on-the-way";  // in the names of clips

bool is_blocking_anomaly(AnomalyKind kind) { return kind == AnomalyKind::Deadlock || kind == AnomalyKind::LostWakeup; }

bool is_stuck(const run::Outcome& outcome) {
  return outcome.kind == OutcomeKind::Deadlock || outcome.kind == OutcomeKind::LostWakeup;
}

// Which of a prediction's executions: enough to make it again.
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
  std::size_t missing = 0;
  std::uint32_t runs_made = 0;
  RunPaths paths;
};

// What the executions of one prediction came to.
struct Tried {
  Verdict verdict;
  std::optional<Attempt> kept;    // confirmed, with a failure if there is one
  std::optional<Attempt> failed;  // before it was confirmed
  std::vector<Attempt> novel;     // whose paths are not known
};

// Everything that the workers share and do not change.
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

  // Whether there is no time for more.
  bool is_over() const { return options.run.stop.stop_requested(); }
};

class Worker {
 public:
  explicit Worker(const Batch& batch)
      : batch_(batch), trials_(batch.program, batch.options.run, server_options(batch), runner_) {}

  Result<Tried> work_on(std::size_t index) {
    Tried tried;
    // A benign order often hides a harmful one: both, and several ways to go on.
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
  // Whether the same order is worth another way to go on.
  bool add(Attempt attempt, Tried& tried) {
    if (!attempt.outcome.failed() && !batch_.known.has(attempt.paths.signature) &&
        std::ranges::none_of(tried.novel,
                             [&](const Attempt& other) { return other.paths.signature == attempt.paths.signature; }))
      tried.novel.push_back(attempt);
    Verdict& verdict = tried.verdict;
    if (!attempt.confirmed) {
      if (attempt.outcome.failed() && !tried.failed) tried.failed = attempt;
      if (verdict.status != ValidationStatus::Confirmed && attempt.recipe.tail == 0) {
        verdict.status = attempt.followed ? ValidationStatus::NotReached : ValidationStatus::Infeasible;
        verdict.missing = attempt.missing;
        verdict.runs_made = attempt.runs_made;
        verdict.runs_planned = static_cast<std::uint32_t>(batch_.schedule(attempt.recipe).runs.size());
      }
      return false;
    }
    verdict.status = ValidationStatus::Confirmed;
    const bool failed = attempt.outcome.failed();
    if (!tried.kept || failed) tried.kept = std::move(attempt);
    return !failed;
  }

  Result<Attempt> execute(const Recipe& recipe) {
    if (Status started = trials_.start(); !started) return started.error();
    const GuidedSchedule& schedule = batch_.schedule(recipe);
    RunWatch watch(schedule, trials_.base_step());
    Result<experiment::Trial> trial = trials_.run(batch_.inputs(recipe), {.sink = &watch});
    if (!trial) return trial.error();
    Attempt attempt;
    attempt.recipe = recipe;
    attempt.outcome = std::move(trial->outcome);
    attempt.interrupted = trial->interrupted;
    attempt.runs_made = trial->switches_met;
    attempt.followed = attempt.runs_made + 1 >= schedule.runs.size();
    attempt.missing = watch.anomaly().first_missing();
    // Threads that wait for each other make no further event: that nobody can run any more is the proof.
    attempt.confirmed = is_blocking_anomaly(batch_.predictions[recipe.prediction].kind) ? is_stuck(attempt.outcome)
                                                                                        : watch.anomaly().happened();
    attempt.paths = watch.take_paths();
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

// Executes predictions until the time is used up, on the requested number of processors. Results have the order of the
// predictions, whichever worker made them.
Result<std::vector<Tried>> execute_all(const Batch& batch, const std::function<void(std::size_t)>& show) {
  std::vector<Tried> results(batch.predictions.size());
  std::atomic<std::size_t> next{0}, finished{0};
  std::mutex mutex;
  std::optional<Error> error;
  const auto work = [&] {
    Worker worker(batch);
    for (std::size_t index = next++; index < results.size() && !batch.is_over(); index = next++) {
      Result<Tried> tried = worker.work_on(index);
      const std::lock_guard lock(mutex);
      if (!tried) {
        if (!error) error = tried.error();
        return;
      }
      results[index] = std::move(*tried);
      ++finished;
      if (show) show(finished);
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

// Makes the run of an attempt once more and keeps it. The outcome then has its signature; empty path: it ended
// differently.
std::string keep(const Batch& batch, run::Runner& runner, const Recipe& recipe, const char* word,
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

// The runs with the most that is new, each compared with those before it as well.
std::vector<NovelRun> choose_novel(const Batch& batch, std::vector<Tried>& results) {
  std::vector<Attempt*> pool;
  for (Tried& tried : results)
    for (Attempt& attempt : tried.novel) pool.push_back(&attempt);
  KnownPaths known = batch.known;
  std::vector<NovelRun> chosen;
  while (chosen.size() < batch.options.novel_max) {
    std::erase_if(pool, [&](const Attempt* attempt) { return known.has(attempt->paths.signature); });
    const auto best =
        std::ranges::max_element(pool, {}, [&](const Attempt* attempt) { return known.novelty(attempt->paths); });
    if (best == pool.end()) break;
    known.add((*best)->paths);
    chosen.push_back({batch.inputs((*best)->recipe), std::move((*best)->paths)});
    pool.erase(best);
  }
  return chosen;
}

}  // namespace

const char* status_word(ValidationStatus status) {
  switch (status) {
    case ValidationStatus::Confirmed:
      return "confirmed";
    case ValidationStatus::Infeasible:
      return "infeasible";
    case ValidationStatus::NotReached:
      return "not_reached";
    case ValidationStatus::Predicted:
      return "predicted";
  }
  return "";
}

Result<Validation> validate(trace::TraceReader& reader, const std::vector<Prediction>& predictions,
                            const ValidateOptions& given, const KnownPaths& known,
                            const std::function<void(std::size_t)>& show) {
  ValidateOptions options = given;
  options.run.arm_mode = format::ArmMode::All;
  options.run.armed.clear();
  options.run.record_path.clear();
  options.run.output = run::Output::Discard;
  if (options.run.stdin_file.empty()) options.run.stdin_file = "/dev/null";
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
  for (std::size_t i = 0; i < results->size(); ++i) {
    Tried& tried = (*results)[i];
    const bool fails = tried.kept && tried.kept->outcome.failed();
    const char* const word = predict::anomaly_kind_word(predictions[i].kind);
    if (tried.kept && (fails || options.clips_of_benign))
      tried.verdict.clip = keep(batch, runner, tried.kept->recipe, word, tried.kept->outcome);
    if (fails) tried.verdict.failure = tried.kept->outcome;
    if (tried.failed && !fails) {
      FailureOnTheWay failure{i, tried.failed->missing, tried.failed->outcome, ""};
      failure.clip = keep(batch, runner, tried.failed->recipe, kOrderWord, failure.failure);
      if (!failure.clip.empty()) validation.failures.push_back(std::move(failure));
    }
    validation.verdicts.push_back(std::move(tried.verdict));
  }
  validation.novel = choose_novel(batch, *results);
  return validation;
}

}  // namespace heddle::validate
