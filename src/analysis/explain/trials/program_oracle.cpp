#include "explain/trials/program_oracle.h"

#include <map>

#include "explain/heuristics.h"
#include "run/process/process_snapshot.h"
#include "support/temporary_file.h"
#include "trace/object.h"

namespace heddle::explain {
namespace {

constexpr run::ServerOptions kServer{.hosts = 32, .collect_schedule = true};

run::RunOptions trial_options(run::RunOptions options, std::chrono::milliseconds time) {
  options.stop = options.stop.until(StopToken::Clock::now() + time);
  options.record_path.clear();
  options.annotate = false;
  options.engine = format::EngineKind::Fiber;
  options.strategy = format::StrategyKind::Turns;
  options.quantum = 0;
  options.output = run::Output::Discard;
  options.timeout = std::min(options.timeout, kTrialTimeoutMax);
  options.stall = std::min(options.stall, kTrialTimeoutMax);
  if (options.stdin_file.empty()) options.stdin_file = "/dev/null";
  return options;
}

// The stack of the thread at its preemption after `points` points; empty if the run has no such preemption.
std::vector<binary::SourceFrame> stack_at(run::Runner& runner, const run::Decisions& decisions,
                                          const std::string& thread, std::uint64_t points) {
  std::uint64_t arrived = 0;
  for (std::size_t i = 0; i + 1 < decisions.runs.size() && i < decisions.stops.size(); ++i) {
    if (decisions.descent_name(decisions.runs[i].thread) != thread) continue;
    arrived += decisions.runs[i].points;
    const run::Decisions::Stop& stop = decisions.stops[i];
    if (arrived != points || stop.frames_count == 0) continue;
    return runner.symbolizer().symbolize(runner.last_result(), decisions.frames.data() + stop.frames_begin,
                                         stop.frames_count, false);
  }
  return {};
}

}  // namespace

ProgramOracle::ProgramOracle(run::RunOptions options, binary::ProgramFile program)
    : options_(std::move(options)), program_(std::move(program)), trial_runner_(program_, options_, kServer, runner_) {
  threads_.number_of("0");
}

Result<std::unique_ptr<ProgramOracle>> ProgramOracle::open(const run::RunOptions& options,
                                                           std::chrono::milliseconds time) {
  Result<binary::ProgramFile> program = binary::find_program(options.program);
  if (!program) return program.error();
  std::unique_ptr<ProgramOracle> oracle(new ProgramOracle(trial_options(options, time), std::move(*program)));
  if (Status started = oracle->trial_runner_.start(); !started) return started.error();
  return oracle;
}

experiment::Schedule ProgramOracle::schedule_of(const experiment::Turns& order) const {
  experiment::Schedule schedule{threads_.names(), order, {}, options_.omitted};
  for (const ThreadId thread : choices_) schedule.choices.push_back(number(thread));
  return schedule;
}

Result<Attempt> ProgramOracle::attempt(const experiment::Turns& order, std::size_t turns_needed) {
  ++trials_;
  const Result<experiment::Trial> trial = trial_runner_.run(schedule_of(order), {.steps_max = options_.steps_max});
  if (!trial) return trial.error();
  Attempt attempt;
  attempt.followed =
      experiment::was_followed(order, turns_needed, trial->made(), threads_.names(), trial_runner_.base_step());
  if (!trial->outcome.failed())
    attempt.ending = Ending::Passes;
  else if (trial_runner_.is_wanted(*trial, matcher_))
    attempt.ending = Ending::Fails;
  return attempt;
}

Result<Recording> ProgramOracle::record_inputs(const run::RunOptions& options, const run::SessionInputs& inputs) {
  const TemporaryFile file;
  if (file.path().empty()) return Error{"cannot make a temporary file for the trace"};
  run::RunOptions recorded = options;
  recorded.record_path = file.path();
  recorded.record_values = true;
  recorded.output = run::Output::Discard;
  Result<run::RunReport> report = runner_.run_once(recorded, inputs);
  if (!report) return report.error();
  std::map<std::string, std::uint64_t> addresses;
  const format::SessionResult& result = runner_.last_result();
  for (std::uint32_t i = 0; i < std::min(result.report_count, format::kReportedThreadsMax); ++i)
    addresses[report->decisions.descent_name(result.reports[i].thread)] = result.reports[i].object;
  Result<Recording> recording = read_recording(file.path(), std::move(*report), threads_);
  if (!recording) return recording.error();
  trace::ObjectMap objects;
  for (const trace::TraceModule& module : recording->tables.modules)
    objects.add_module(module.number, module.begin, module.end);
  for (const auto& [thread, address] : addresses) recording->awaited[thread] = objects.object_at(address);
  return recording;
}

Result<Recording> ProgramOracle::record_replay(run::RunOptions options, format::StrategyKind strategy,
                                               const run::SessionInputs& inputs) {
  options.strategy = strategy;
  Result<Recording> recording = record_inputs(options, inputs);
  if (!recording) return recording;
  const run::RunReport& report = recording->report;
  if (report.interrupted) return Error{"interrupted"};
  if (report.divergence)
    return Error{"the clip does not replay: " + report.divergence->what + "; see: heddle replay",
                 ExitCode::Uncontrolled};
  if (!report.outcome.failed())
    return Error{"the clip's program passes, so there is no failure to analyse", ExitCode::Found};
  return recording;
}

Result<Recording> ProgramOracle::record(const experiment::Turns& order) {
  ++trials_;
  Result<run::SessionInputs> inputs = experiment::inputs_of(schedule_of(order));
  if (!inputs) return inputs.error();
  return record_inputs(options_, *inputs);
}

Result<experiment::Trial> ProgramOracle::observe(const experiment::Turns& order, std::uint32_t flags,
                                                 run::RingSink& sink) {
  ++trials_;
  return trial_runner_.run(schedule_of(order),
                           {.steps_max = options_.steps_max, .apart = true, .flags = format::kRecordEvents | flags},
                           {.sink = &sink});
}

Result<binary::CoreImage> ProgramOracle::freeze(const experiment::Turns& order, std::uint64_t step) {
  ++trials_;
  run::SnapshotSink sink;
  const Result<experiment::Trial> trial = trial_runner_.run(
      schedule_of(order), {.steps_max = options_.steps_max, .apart = true, .freeze_at = step}, {.sink = &sink});
  if (!trial) return trial.error();
  if (!sink.image) return Error{"the run did not reach step " + std::to_string(step)};
  return std::move(*sink.image);
}

std::vector<binary::SourceFrame> ProgramOracle::stack_before(const experiment::Turns& order, ThreadId thread,
                                                             std::uint64_t done) {
  experiment::Turns until;
  std::vector<std::uint64_t> passed(threads_.names().size(), 0);  // points at the end of `until`, by thread
  for (const experiment::Turn& turn : order) {
    if (ThreadId{turn.thread} == thread && experiment::points_done(turn) > done) break;
    experiment::append(until, turn);
    passed[turn.thread] = std::max(passed[turn.thread], experiment::points_done(turn));
  }
  experiment::append(until, experiment::turn_until(thread, done));
  run::RunOptions options = options_;
  options.annotate = true;
  // Stacks are recorded at switches, so another thread must run next. Which threads can run is unknown: each is tried.
  for (std::uint32_t other = 0; other < threads_.names().size(); ++other) {
    if (ThreadId{other} == thread) continue;
    experiment::Turns stopped = until;
    experiment::append(stopped, experiment::turn_until(ThreadId{other}, passed[other] + 1));
    const Result<run::SessionInputs> inputs = experiment::inputs_of(schedule_of(stopped));
    if (!inputs) return {};
    const Result<run::RunReport> report = runner_.run_once(options, *inputs);
    if (!report) return {};
    std::vector<binary::SourceFrame> stack =
        stack_at(runner_, report->decisions, threads_.names()[number(thread)], done + 1);
    if (!stack.empty()) return stack;
  }
  return {};
}

}  // namespace heddle::explain
