#include "slice/failure_slice.h"

#include <map>
#include <tuple>

#include "abi/flow.h"
#include "binary/elf_file.h"
#include "binary/program_file.h"
#include "binary/symbolizer.h"
#include "run/replay/clip_builder.h"
#include "run/verdict/failed_threads.h"
#include "support/duration.h"

namespace heddle::slice {
namespace {

// Measures the processor time of a slicer.
class TimedSlicer final : public Slicer {
 public:
  void consume(std::span<const std::uint64_t> words) override {
    const double before = thread_seconds();
    Slicer::consume(words);
    seconds += thread_seconds() - before;
  }

  double seconds = 0;
};

}  // namespace

bool has_flow_table(const std::string& program_path) {
  const Result<binary::ElfFile> file = binary::ElfFile::open(program_path);
  return file && !file->section(HEDDLE_SECTION_FLOW).bytes.empty();
}

Status check_flow_table(const std::string& program_path) {
  if (has_flow_table(program_path)) return ok_status();
  return Error{program_path + " has no record of its data flow; build it with HEDDLE_HOOKS=branches heddle-c++",
               ExitCode::Uncontrolled};
}

FailureSlice describe(const Slice& slice, binary::SiteTable& sites) {
  FailureSlice described;
  described.events = slice.events;
  described.relevant = slice.relevant;
  std::map<std::tuple<std::string, std::uint32_t, std::string>, std::uint64_t> events;
  for (const auto& [id, count] : slice.relevant_sites)
    if (const binary::Site* site = sites.find(id)) events[{site->file, site->line, site->function}] += count;
  for (const auto& [place, count] : events)
    described.lines.push_back({std::get<0>(place), std::get<1>(place), binary::demangle(std::get<2>(place)), count});
  return described;
}

Result<FailureSlice> slice_clip(const clip::Clip& clip, const run::ReplayOptions& replay) {
  Result<run::RunOptions> options = run::replay_options(clip, replay);
  if (!options) return options.error();
  const Result<binary::ProgramFile> program = binary::find_program(options->program);
  if (!program) return program.error();
  if (Status checked = check_flow_table(program->path); !checked) return checked.error();
  options->output = run::Output::Discard;
  // The slice needs all sites. If the clip arms fewer, its counts of points do not apply, so its switches are found by
  // their sites.
  const bool exact = run::same_build(clip, *options) && options->arm_mode == format::ArmMode::All;
  Result<run::SessionInputs> inputs = exact ? run::replay_inputs(clip) : run::site_replay_inputs(clip, *options);
  if (!inputs) return inputs.error();
  options->strategy = exact ? format::StrategyKind::Replay : format::StrategyKind::ReplayBySite;
  options->arm_mode = format::ArmMode::All;
  options->armed.clear();
  inputs->config.flags = format::kRecordEvents | format::kRecordBlocks | format::kRecordValues;

  TimedSlicer slicer;
  run::Runner runner;
  const Result<run::RunReport> report = runner.run_once(*options, *inputs, &slicer);
  if (!report) return report.error();
  if (report->interrupted) return Error{"interrupted"};
  const run::Outcome& outcome = report->outcome;
  if (!outcome.failed() || outcome.kind == format::OutcomeKind::Diverged)
    return Error{"the clip no longer fails; see: heddle replay", ExitCode::Found};
  const double before = thread_seconds();
  const Slice slice = slicer.slice(run::failed_threads(runner.last_result()));
  const double after = thread_seconds();
  binary::SiteTable sites(runner.last_result());
  FailureSlice result = describe(slice, sites);
  result.outcome = run::outcome_word(outcome.kind);
  result.slicing_seconds = slicer.seconds + after - before;
  result.backward_seconds = after - before;
  result.run_seconds = report->seconds;
  result.records = slicer.records();
  for (const auto& [thread, relevant] : slice.relevant_threads)
    if (thread < report->decisions.threads.size())
      result.threads.push_back({report->decisions.descent_name(thread), relevant});
  return result;
}

}  // namespace heddle::slice
