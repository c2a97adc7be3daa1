#include "validate/validator.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "run/clip_saver.h"
#include "run/fork_server.h"
#include "run/interrupt.h"
#include "run/program_file.h"
#include "validate/anomaly_watch.h"
#include "validate/guided_schedule.h"

namespace heddle::validate {
namespace {

using Clock = std::chrono::steady_clock;
using format::OutcomeKind;
using predict::AnomalyKind;
using predict::Prediction;

constexpr std::uint64_t kTailQuantum = 4;
constexpr std::uint32_t kHosts = 32;

bool is_blocking_anomaly(AnomalyKind kind) { return kind == AnomalyKind::Deadlock || kind == AnomalyKind::LostWakeup; }

class Worker {
 public:
  Worker(const run::ProgramFile& program, const ValidateOptions& options, const Schedules& schedules)
      : program_(program), options_(options), schedules_(schedules) {}

  Result<Verdict> validate(const Prediction& prediction, std::size_t index, std::mutex& clip_mutex,
                           run::Runner& runner) {
    Verdict verdict;
    std::optional<Attempt> best;  // confirmed, with a failure if there is one
    // A benign order often hides a harmful one: both, and several ways to go on.
    for (const GuidedSchedule* schedule : {&schedules_.forward[index], &schedules_.reverse[index]}) {
      if (schedule->runs.empty() || (best && best->outcome.failed())) continue;
      for (unsigned tail = 0; tail <= options_.tails; ++tail) {
        Result<Attempt> attempt = execute(prediction, *schedule, tail);
        if (!attempt) return attempt.error();
        if (attempt->interrupted) return verdict;
        if (!attempt->confirmed) {
          if (tail == 0 && verdict.status != Standing::Confirmed) {
            verdict.status = attempt->followed ? Standing::NotReached : Standing::Infeasible;
            verdict.missing = attempt->missing;
            verdict.runs_made = attempt->runs_made;
            verdict.runs_planned = static_cast<std::uint32_t>(schedule->runs.size());
          }
          break;
        }
        verdict.status = Standing::Confirmed;
        const bool failed = attempt->outcome.failed();
        if (!best || failed) best = std::move(*attempt);
        if (failed) break;
      }
    }
    if (!best) return verdict;
    if (best->outcome.failed() || options_.clips_of_benign) keep(*best, prediction, index, clip_mutex, runner, verdict);
    return verdict;
  }

 private:
  struct Attempt {
    run::SessionInputs inputs;
    run::Outcome outcome;
    bool confirmed = false;
    bool followed = false;
    bool interrupted = false;
    std::size_t missing = 0;
    std::uint32_t runs_made = 0;
  };

  Result<Attempt> execute(const Prediction& prediction, const GuidedSchedule& schedule, unsigned tail) {
    if (server_ == nullptr) {
      run::ServerOptions server;
      server.record = true;
      server.hosts = std::min(kHosts, static_cast<std::uint32_t>(schedules_.descents.size() - 1));
      Result<std::unique_ptr<run::ForkServer>> started = run::ForkServer::start(program_, options_.run, server);
      if (!started) return started.error();
      server_ = std::move(*started);
    }
    Attempt attempt;
    attempt.inputs.config.strategy = format::StrategyKind::Guided;
    attempt.inputs.config.default_order = 1;
    attempt.inputs.config.quantum = tail == 0 ? 0 : kTailQuantum;
    attempt.inputs.config.seed = options_.seed + tail;
    attempt.inputs.config.steps_max = options_.run.steps_max;
    attempt.inputs.descents = schedules_.descents;
    attempt.inputs.choices = schedules_.choices;
    attempt.inputs.runs = schedule.runs;
    AnomalyWatch watch(schedule.anomaly, server_->base_step());
    Result<run::ServedRun> served = server_->run(attempt.inputs, 0, {}, &watch);
    if (!served) return served.error();
    attempt.outcome = served->outcome;
    attempt.interrupted = served->interrupted;
    attempt.runs_made = server_->last_result().switches_met;
    attempt.followed = attempt.runs_made + 1 >= schedule.runs.size();
    attempt.missing = watch.first_missing();
    // Threads that wait for each other make no further event: that nobody can run any more is the proof.
    const bool stuck = attempt.outcome.kind == OutcomeKind::Deadlock || attempt.outcome.kind == OutcomeKind::LostWakeup;
    attempt.confirmed = is_blocking_anomaly(prediction.kind) ? stuck : watch.happened();
    return attempt;
  }

  void keep(const Attempt& attempt, const Prediction& prediction, std::size_t index, std::mutex& clip_mutex,
            run::Runner& runner, Verdict& verdict) {
    if (attempt.outcome.failed()) verdict.failure = attempt.outcome;
    run::RunOptions options = options_.run;
    run::set_schedule(options, attempt.inputs.config);
    const std::string name = std::filesystem::path(options.program).filename().string() + "-" +
                             predict::anomaly_kind_word(prediction.kind) + "-" + std::to_string(options_.first_number + index + 1) + ".clip";
    const std::lock_guard one_clip(clip_mutex);
    Result<run::SavedClip> saved =
        run::save_clip(runner, options, attempt.inputs, attempt.outcome.kind,
                       (std::filesystem::path(options_.out_directory) / name).string());
    if (!saved) return;
    verdict.clip = saved->path;
    if (saved->report.outcome.failed()) verdict.failure = saved->report.outcome;
  }

  const run::ProgramFile& program_;
  const ValidateOptions& options_;
  const Schedules& schedules_;
  std::unique_ptr<run::ForkServer> server_;
};

}  // namespace

const char* standing_word(Standing standing) {
  switch (standing) {
    case Standing::Confirmed:
      return "confirmed";
    case Standing::Infeasible:
      return "infeasible";
    case Standing::NotReached:
      return "not_reached";
    case Standing::Predicted:
      return "predicted";
  }
  return "";
}

Result<std::vector<Verdict>> validate(trace::TraceReader& reader, const std::vector<Prediction>& predictions,
                                      const ValidateOptions& given, const std::function<void(std::size_t)>& show) {
  ValidateOptions options = given;
  options.run.arm_mode = format::ArmMode::All;
  options.run.armed.clear();
  options.run.record_path.clear();
  options.run.output = run::Output::Discard;
  if (options.run.stdin_file.empty()) options.run.stdin_file = "/dev/null";
  Result<run::ProgramFile> program = run::find_program(options.run.program);
  if (!program) return program.error();
  const run::InterruptGuard guard;
  const Result<Schedules> schedules = make_schedules(reader, predictions);
  if (!schedules) return schedules.error();

  std::vector<Verdict> verdicts(predictions.size());
  const Clock::time_point begin = Clock::now();
  std::atomic<std::size_t> next{0}, finished{0};
  std::mutex clip_mutex, error_mutex;
  run::Runner runner;
  std::optional<Error> error;
  const auto work = [&] {
    Worker worker(*program, options, *schedules);
    for (std::size_t index = next++; index < predictions.size(); index = next++) {
      if (run::interrupt_signal() != 0) return;
      if (options.time.count() != 0 && Clock::now() - begin >= options.time) return;
      Result<Verdict> verdict = worker.validate(predictions[index], index, clip_mutex, runner);
      if (!verdict) {
        const std::lock_guard lock(error_mutex);
        if (!error) error = verdict.error();
        return;
      }
      verdicts[index] = std::move(*verdict);
      ++finished;
      if (show) show(finished);
    }
  };
  const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < jobs; ++i) threads.emplace_back(work);
  }
  if (error && finished == 0 && !predictions.empty()) return *error;
  return verdicts;
}

}  // namespace heddle::validate
