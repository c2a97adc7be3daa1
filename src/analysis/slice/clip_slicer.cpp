#include "slice/clip_slicer.h"

#include "binary/program_file.h"
#include "run/replay/clip_builder.h"
#include "run/verdict/failed_threads.h"
#include "slice/slicer.h"

namespace heddle::slice {
namespace {

// Hands on, and takes the time.
class TimedSlicer final : public run::RingSink {
 public:
  void begin(const format::SessionResult& result) override { slicer.begin(result); }
  void feed(run::ScheduleCollector& collector) override { slicer.feed(collector); }
  const std::optional<trace::Problem>& problem() const override { return slicer.problem(); }
  void consume(std::span<const std::uint64_t> words) override {
    const double before = thread_seconds();
    slicer.consume(words);
    seconds += thread_seconds() - before;
  }

  Slicer slicer;
  double seconds = 0;
};

}  // namespace

Result<FailureSlice> slice_clip(const clip::Clip& clip, const run::ReplayOptions& replay) {
  Result<run::RunOptions> options = run::replay_options(clip, replay);
  if (!options) return options.error();
  const Result<binary::ProgramFile> program = binary::find_program(options->program);
  if (!program) return program.error();
  if (Status told = check_tells_flow(program->path); !told) return told.error();
  options->output = run::Output::Discard;
  // What the clip does not arm matters inside of threads: then its switches are found by their places.
  const bool exact = run::same_build(clip, *options) && options->arm_mode == format::ArmMode::All;
  Result<run::SessionInputs> inputs = exact ? run::replay_inputs(clip) : run::site_replay_inputs(clip, *options);
  if (!inputs) return inputs.error();
  options->strategy = exact ? format::StrategyKind::Replay : format::StrategyKind::ReplayBySite;
  options->arm_mode = format::ArmMode::All;
  options->armed.clear();
  inputs->config.flags = format::kRecordEvents | format::kRecordBlocks | format::kRecordValues;

  TimedSlicer sink;
  run::Runner runner;
  const Result<run::RunReport> report = runner.run_once(*options, *inputs, &sink);
  if (!report) return report.error();
  if (report->interrupted) return Error{"interrupted"};
  const run::Outcome& outcome = report->outcome;
  if (!outcome.failed() || outcome.kind == format::OutcomeKind::Diverged)
    return Error{"the clip does not fail any more; see: heddle replay", ExitCode::Found};
  const double before = thread_seconds();
  const Slice slice = sink.slicer.slice(run::failed_threads(runner.last_result()));
  const double after = thread_seconds();
  binary::SiteTable sites(runner.last_result());
  FailureSlice result = describe(slice, sites);
  result.outcome = run::outcome_word(outcome.kind);
  result.slicing_seconds = sink.seconds + after - before;
  result.backward_seconds = after - before;
  result.run_seconds = report->seconds;
  result.records = sink.slicer.records();
  for (const auto& [thread, relevant] : slice.relevant_threads)
    if (thread < report->decisions.threads.size())
      result.threads.push_back({report->decisions.descent_name(thread), relevant});
  return result;
}

}  // namespace heddle::slice
