#include "run/runner.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>

#include "base/ids.h"
#include "binary/sections/site_names.h"
#include "binary/sections/site_table.h"
#include "clip/module_identity.h"
#include "run/process/launcher.h"
#include "run/record/trace_recorder.h"
#include "run/replay/clip_builder.h"
#include "run/verdict/failed_threads.h"
#include "run/verdict/predicate.h"

namespace heddle::run {
namespace {

using format::OutcomeKind;

constexpr int kRestartsMax = 8;  // for loops at disarmed sites

DivergenceReport describe_divergence(const format::Divergence& divergence, const Decisions& decisions,
                                     const SessionInputs& inputs) {
  DivergenceReport report;
  report.step = divergence.step;
  report.run = divergence.run;
  report.what.assign(divergence.what, ::strnlen(divergence.what, sizeof divergence.what));
  if (divergence.expected_thread < inputs.descent_names.size()) {
    report.expected = inputs.descent_names[divergence.expected_thread];
  }
  const std::uint32_t shown = std::min(divergence.runnable_count, format::kRunnableShownMax);
  for (std::uint32_t i = 0; i < shown; ++i) report.runnable.push_back(decisions.descent_name(divergence.runnable[i]));
  return report;
}

trace::TraceFailure failure_of(const Outcome& outcome, const format::SessionResult& result) {
  trace::TraceFailure failure;
  if (!outcome.failed() || outcome.uncontrolled()) return failure;
  failure.outcome = outcome_word(outcome.kind);
  for (const std::uint32_t thread : failed_threads(result)) failure.threads.push_back(ThreadId{thread});
  return failure;
}

// Fills the configuration from the options; keeps the fields of the caller that no option determines.
Status complete_inputs(const RunOptions& options, SessionInputs& inputs) {
  const format::SessionConfig given = inputs.config;
  inputs.config = session_config(options);
  inputs.config.flags |= given.flags;
  inputs.config.fair_points = given.fair_points;
  inputs.config.freeze_descent = given.freeze_descent;
  inputs.config.freeze_at = given.freeze_at;
  if (inputs.pairs_slots != 0) inputs.config.flags |= format::kObserve;
  inputs.armed_names = binary::site_name_hashes(options.armed);
  return omit(options.omitted, inputs);
}

// The report without its outcome. Moves the decisions out of `execution`.
RunReport report_of(Execution& execution, const SessionInputs& inputs) {
  RunReport report;
  const format::SessionResult& result = *execution.result;
  report.progress = execution.progress;
  report.events = execution.progress.steps;
  report.switches = execution.progress.switches;
  report.preemptions = execution.progress.preemptions;
  report.threads = std::max(execution.progress.threads, 1u);
  report.early_timeouts = result.early_timeouts;
  report.late_timeouts = result.late_timeouts;
  report.event_hash = execution.progress.event_hash;
  report.seconds = execution.seconds;
  report.interrupted = execution.interrupted;
  report.decisions = std::move(execution.decisions);
  report.problems = std::move(execution.problems);
  report.modules = clip::module_identities(result);
  report.preemptions_met = result.switches_met;
  report.preemptions_total = result.switches_total;
  if (result.divergence.happened != 0) {
    report.divergence = describe_divergence(result.divergence, report.decisions, inputs);
  }
  return report;
}

}  // namespace

Result<RunReport> Runner::run_once(const RunOptions& options, SessionInputs inputs, RingSink* observer,
                                   SessionWatcher* watcher) {
  Result<binary::ProgramFile> program = binary::find_program(options.program);
  if (!program) return program.error();
  if (Status controllable = binary::check_controllable(*program, options.preload); !controllable)
    return controllable.error();

  if (Status complete = complete_inputs(options, inputs); !complete) return complete.error();
  std::optional<TraceRecorder> recorder;
  if (!options.record_path.empty()) {
    Result<TraceRecorder> created = TraceRecorder::create(options.record_path, *program, options.arguments);
    if (!created) return created.error();
    recorder.emplace(std::move(*created));
  }
  Result<Execution> execution = launch(*program, options, inputs, recorder ? &*recorder : observer, watcher);
  if (!execution) return execution.error();
  forward_captured_output(*execution, options.output);
  if (!execution->attached && !execution->timed_out && !execution->interrupted) return not_instrumented(program->path);

  RunReport report = report_of(*execution, inputs);
  const format::SessionResult& result = *execution->result;
  Result<Outcome> judged = judge(*execution, options);
  if (!judged) return judged.error();
  const Outcome& outcome = *judged;
  if (is_predicate_stopped(options)) report.interrupted = true;
  report.spun = last_run_spun_ = execution->stall == StallWatchdog::Verdict::Spinning;
  if (recorder) {
    if (Status written = recorder->finish(failure_of(outcome, result)); !written)
      report.problems.push_back(written.error().message);
    report.call_sites = recorder->call_sites();
  }
  describe(report, result, outcome);
  if (outcome.kind == OutcomeKind::Uncontrolled && outcome.message.empty()) {
    const binary::SourceFrame* frame = first_own_frame(report.stack);
    report.outcome.message = "the program blocks in a call that Heddle does not control" +
                             (frame != nullptr ? ", in " + frame->function + " at " + short_place(*frame) : "") +
                             (options.engine == format::EngineKind::Fiber ? "; try --engine=thread" : "");
  }
  last_result_ = std::move(execution->result);
  return report;
}

void Runner::describe(RunReport& report, const format::SessionResult& result, const Outcome& outcome) {
  report.outcome = outcome;
  if (outcome.failed()) {
    report.thread = report.decisions.descent_name(result.thread);
    report.stack = failure_stack(outcome, result, symbolizer_);
    report.threads_at_end = thread_states(result, symbolizer_);
  }
  for (std::uint32_t i = 0; i < std::min(result.early_described, format::kEarlyTimeoutsMax); ++i) {
    const format::EarlyTimeout& early = result.early[i];
    const std::uint32_t frames = std::min(early.stack.count, format::kFramesMax);
    report.early.push_back({report.decisions.descent_name(early.thread), early.ns,
                            symbolizer_.symbolize(result, early.stack.pc, frames, false)});
  }
  for (ThreadState& state : report.threads_at_end) {
    state.thread = report.decisions.descent_name(state.id);
    if (state.holder_id != number(kNoThread)) state.holder = report.decisions.descent_name(state.holder_id);
  }
  report.outcome.signature = make_signature(report.outcome, report.stack, report.threads_at_end);
}

Result<RunReport> Runner::run(RunOptions& options) {
  for (int restarts = 0;; ++restarts) {
    Result<RunReport> report = run_once(options);
    const bool may_arm_more = options.arm_mode != format::ArmMode::All && restarts < kRestartsMax;
    if (!report || !last_run_spun_ || !may_arm_more || !arm_stack_functions(options, *report)) return report;
    const binary::SourceFrame* frame = first_own_frame(report->stack);
    std::fprintf(stderr,
                 "heddle: a thread spins%s at sites that are not armed; starting again with these sites armed\n",
                 frame != nullptr ? (" at " + short_place(*frame)).c_str() : "");
  }
}

// Returns false if all sites of these functions are armed already, so that a restart is pointless.
bool Runner::arm_stack_functions(RunOptions& options, const RunReport& report) {
  std::set<std::string> functions;
  for (const binary::SourceFrame& frame : report.stack) functions.insert(frame.linkage_name);
  std::set<std::string> listed(options.armed.begin(), options.armed.end());
  const std::size_t listed_before = listed.size();
  const bool lists_disarmed = options.arm_mode == format::ArmMode::AllBut;
  binary::SiteTable sites(last_result());
  sites.for_each([&](std::uint32_t, const binary::Site& site) {
    if (!functions.contains(site.function)) return;
    if (lists_disarmed) {
      listed.erase(site.name);
    } else {
      listed.insert(site.name);
    }
  });
  if (listed.size() == listed_before) return false;
  if (options.arm_mode == format::ArmMode::None) options.arm_mode = format::ArmMode::Only;
  options.armed.assign(listed.begin(), listed.end());
  return true;
}

}  // namespace heddle::run
