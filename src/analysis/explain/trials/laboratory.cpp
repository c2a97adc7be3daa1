#include "explain/trials/laboratory.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>

#include "run/process/process_snapshot.h"
#include "run/replay/clip_builder.h"
#include "run/process/launcher.h"
#include "binary/program_file.h"
#include "run/record/schedule_collector.h"
#include "binary/sections/site_names.h"
#include "support/temporary_file.h"
#include "trace/object.h"

namespace heddle::explain {
namespace {

constexpr std::uint32_t kHosts = 32;
constexpr std::chrono::milliseconds kTimeoutMax{10'000};  // of one trial

class ScheduleSink final : public run::RingSink {
 public:
  void begin(const format::SessionResult&) override {}
  void consume(std::span<const std::uint64_t> words) override { collector_.consume(words); }
  run::Decisions finish(const format::SessionProgress& progress) { return collector_.finish(progress); }

 private:
  run::ScheduleCollector collector_;
};

}  // namespace

Laboratory::Laboratory(run::RunOptions options, std::chrono::milliseconds time)
    : options_(std::move(options)) {
  options_.stop = options_.stop.until(StopToken::Clock::now() + time);
  options_.record_path.clear();
  options_.annotate = false;
  options_.engine = format::EngineKind::Fiber;
  options_.strategy = format::StrategyKind::Turns;
  options_.quantum = 0;
  options_.output = run::Output::Discard;
  options_.timeout = std::min(options_.timeout, kTimeoutMax);
  options_.stall = std::min(options_.stall, kTimeoutMax);
  if (options_.stdin_file.empty()) options_.stdin_file = "/dev/null";
  threads_.number_of("0");
}

Laboratory::~Laboratory() = default;

Result<std::unique_ptr<Laboratory>> Laboratory::open(const run::RunOptions& options,
                                                     std::chrono::milliseconds time) {
  std::unique_ptr<Laboratory> laboratory(new Laboratory(options, time));
  Result<binary::ProgramFile> program = binary::find_program(options.program);
  if (!program) return program.error();
  laboratory->program_ = std::move(*program);
  if (Status started = laboratory->start_server(); !started) return started.error();
  return laboratory;
}

Status Laboratory::start_server() {
  run::ServerOptions server;
  server.hosts = kHosts;
  server.collect_schedule = true;
  Result<std::unique_ptr<run::ForkServer>> started = run::ForkServer::start(program_, options_, server);
  if (!started) return started.error();
  server_ = std::move(*started);
  base_step_ = server_->base_step();
  return ok_status();
}

Result<run::SessionInputs> Laboratory::inputs_for(const experiment::Turns& order) const {
  experiment::Schedule schedule{threads_.names(), order, {}, options_.omitted};
  for (const ThreadId thread : choices_) schedule.choices.push_back(number(thread));
  Result<run::SessionInputs> inputs = experiment::inputs_of(schedule);
  if (inputs) inputs->config.steps_max = options_.steps_max;
  return inputs;
}

// Stacks and thread states as the runtime left them; names of threads do not enter a signature.
std::string Laboratory::signature_of(const run::Outcome& outcome) {
  const format::SessionResult& result = server_->last_result();
  const std::vector<binary::SourceFrame> stack =
      runner_.symbolizer().symbolize(result, result.stack.pc, std::min(result.stack.count, format::kFramesMax),
                                     outcome.kind == format::OutcomeKind::Signal && run::is_fault(outcome.signal));
  std::vector<run::ThreadState> states;
  for (std::uint32_t i = 0; i < std::min(result.report_count, format::kReportedThreadsMax); ++i) {
    const format::ThreadReport& thread = result.reports[i];
    run::ThreadState state;
    state.id = thread.thread;
    const char* word = static_cast<int>(thread.waits_for) == 0 ? nullptr : format::event_word(thread.waits_for);
    state.waits_for = word != nullptr ? word : "";
    state.holder_id = thread.holder;
    state.stack = runner_.symbolizer().symbolize(result, thread.stack.pc,
                                                 std::min(thread.stack.count, format::kFramesMax), false);
    states.push_back(std::move(state));
  }
  return run::make_signature(outcome, stack, states);
}

Ending Laboratory::judge(const run::Outcome& outcome, const std::string& signature) const {
  if (!outcome.failed()) return Ending::Passes;
  return signature == signature_ ? Ending::Fails : Ending::Otherwise;
}

Result<Trial> Laboratory::attempt(const experiment::Turns& order, std::size_t turns_needed) {
  ++trials_;
  const Result<run::SessionInputs> inputs = inputs_for(order);
  if (!inputs) return inputs.error();
  Trial trial;
  // What decides about the failure is asked outside of the program, or drives it: every run is one of its own.
  if (runs_apart_ || !options_.fails_if.empty() || !options_.driver.empty()) {
    const Result<run::RunReport> report = runner_.run_once(options_, *inputs);
    if (!report) return report.error();
    trial.ending = judge(report->outcome, report->outcome.signature);
    trial.followed = experiment::was_followed(order, turns_needed, report->decisions, threads_.names(), 0);
    return trial;
  }
  ScheduleSink sink;
  Result<run::ServedRun> served = server_->run(*inputs, 0, {}, &sink);
  if (!served) return served.error();
  trial.ending = judge(served->outcome, served->outcome.failed() ? signature_of(served->outcome) : "");
  trial.followed = experiment::was_followed(order, turns_needed, sink.finish(served->progress), threads_.names(), base_step_);
  return trial;
}

Result<Recording> Laboratory::record_inputs(const run::RunOptions& options, const run::SessionInputs& inputs) {
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

Result<Recording> Laboratory::record(const experiment::Turns& order) {
  ++trials_;
  const Result<run::SessionInputs> inputs = inputs_for(order);
  if (!inputs) return inputs.error();
  return record_inputs(options_, *inputs);
}

template <typename Configure>
Result<run::Execution> Laboratory::launch(const experiment::Turns& order, run::RingSink& sink, Configure configure) {
  ++trials_;
  Result<run::SessionInputs> inputs = inputs_for(order);
  if (!inputs) return inputs.error();
  inputs->config = run::session_config(options_);
  configure(inputs->config);
  inputs->armed_names = binary::site_name_hashes(options_.armed);
  return run::launch(program_, options_, *inputs, &sink);
}

Result<run::Execution> Laboratory::hear(const experiment::Turns& order, std::uint32_t flags, run::RingSink& sink) {
  return launch(order, sink, [&](format::SessionConfig& config) { config.flags |= format::kRecordEvents | flags; });
}

Result<binary::CoreImage> Laboratory::freeze(const experiment::Turns& order, std::uint64_t step) {
  run::SnapshotSink sink;
  const auto freeze_there = [&](format::SessionConfig& config) { config.freeze_at = step; };
  if (Result<run::Execution> execution = launch(order, sink, freeze_there); !execution) return execution.error();
  if (!sink.image) return Error{"the run did not come to step " + std::to_string(step)};
  return std::move(*sink.image);
}

std::vector<binary::SourceFrame> Laboratory::stack_before(const experiment::Turns& order, ThreadId thread, std::uint64_t done) {
  experiment::Turns until;
  std::vector<std::uint64_t> behind(threads_.names().size(), 0);
  for (const experiment::Turn& turn : order) {
    if (ThreadId{turn.thread} == thread && experiment::points_done(turn) > done) break;
    experiment::append(until, turn);
    behind[turn.thread] = std::max(behind[turn.thread], experiment::points_done(turn));
  }
  experiment::append(until, experiment::turn_until(thread, done));
  // Somebody else has to run so that there is a switch to look at; which one can, is found by trying.
  for (std::uint32_t other = 0; other < threads_.names().size(); ++other) {
    if (ThreadId{other} == thread) continue;
    experiment::Turns stopped = until;
    experiment::append(stopped, experiment::turn_until(ThreadId{other}, behind[other] + 1));
    run::RunOptions options = options_;
    options.annotate = true;
    const Result<run::SessionInputs> inputs = inputs_for(stopped);
    if (!inputs) return {};
    const Result<run::RunReport> report = runner_.run_once(options, *inputs);
    if (!report) return {};
    const run::Decisions& decisions = report->decisions;
    std::uint64_t arrived = 0;
    for (std::size_t i = 0; i + 1 < decisions.runs.size() && i < decisions.stops.size(); ++i) {
      if (decisions.descent_name(decisions.runs[i].thread) != threads_.names()[number(thread)]) continue;
      arrived += decisions.runs[i].points;
      if (arrived != done + 1) continue;
      const run::Decisions::Stop& stop = decisions.stops[i];
      if (stop.frames_count == 0) continue;
      return runner_.symbolizer().symbolize(runner_.last_result(), decisions.frames.data() + stop.frames_begin,
                                            stop.frames_count, false);
    }
  }
  return {};
}

}  // namespace heddle::explain
