#include "slice/clip_slicer.h"

#include <time.h>

#include <map>
#include <tuple>

#include "abi/flow.h"
#include "run/clip_builder.h"
#include "run/elf_file.h"
#include "run/interrupt.h"
#include "run/launcher.h"
#include "run/program_file.h"
#include "run/site_names.h"
#include "run/site_table.h"
#include "slice/failed_threads.h"
#include "slice/slicer.h"

namespace heddle::slice {
namespace {

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Hands on, and takes the time.
class TimedSlicer final : public run::RingSink {
 public:
  void begin(const format::SessionResult& result) override { slicer.begin(result); }
  void consume(std::span<const std::uint64_t> words) override {
    const double before = thread_seconds();
    slicer.consume(words);
    seconds += thread_seconds() - before;
  }

  Slicer slicer;
  double seconds = 0;
};

std::vector<SlicedLine> lines_of(const Slice& slice, const format::SessionResult& result) {
  run::SiteTable sites(result);
  std::map<std::tuple<std::string, std::uint32_t, std::string>, std::uint64_t> events;
  for (const auto& [id, count] : slice.relevant_sites)
    if (const run::Site* site = sites.find(id)) events[{site->file, site->line, site->function}] += count;
  std::vector<SlicedLine> lines;
  for (const auto& [place, count] : events)
    lines.push_back({std::get<0>(place), std::get<1>(place), run::demangle(std::get<2>(place)), count});
  return lines;
}

}  // namespace

bool tells_flow(const std::string& program_path) {
  const Result<run::ElfFile> file = run::ElfFile::open(program_path);
  return file && !file->section(HEDDLE_SECTION_FLOW).bytes.empty();
}

Result<ClipSlice> slice_clip(const run::Clip& clip, const run::ReplayOptions& replay) {
  const run::InterruptGuard guard;
  Result<run::RunOptions> options = run::replay_options(clip, replay);
  if (!options) return options.error();
  const Result<run::ProgramFile> program = run::find_program(options->program);
  if (!program) return program.error();
  if (!tells_flow(program->path))
    return Error{program->path + " does not tell how its values flow; build it with HEDDLE_HOOKS=branches heddle-c++",
                 ExitCode::Uncontrolled};
  options->output = run::Output::Discard;
  // What the clip does not arm matters inside of threads: then its switches are found by their places.
  const bool exact = run::same_build(clip, *options) && options->arm_mode == format::ArmMode::All;
  Result<run::SessionInputs> inputs = exact ? run::replay_inputs(clip) : run::site_replay_inputs(clip, *options);
  if (!inputs) return inputs.error();
  options->strategy = exact ? format::StrategyKind::Replay : format::StrategyKind::ReplayBySite;
  options->arm_mode = format::ArmMode::All;
  options->armed.clear();
  inputs->config = run::session_config(*options);
  inputs->config.flags |= format::kRecordEvents | format::kRecordBlocks | format::kRecordValues;
  inputs->armed_names.clear();

  TimedSlicer sink;
  const Result<run::Execution> execution = run::launch(*program, *options, *inputs, &sink);
  if (!execution) return execution.error();
  ClipSlice result;
  result.outcome =
      run::classify(execution->wait_status, *execution->result, execution->timed_out, execution->interrupted);
  if (execution->interrupted) return Error{"interrupted"};
  if (!result.outcome.failed() || result.outcome.kind == format::OutcomeKind::Diverged)
    return Error{"the clip does not fail any more; see: heddle replay", ExitCode::Found};
  const double before = thread_seconds();
  const Slice slice = sink.slicer.slice(failed_threads(*execution->result));
  result.slicing_seconds = sink.seconds + thread_seconds() - before;
  result.run_seconds = execution->seconds;
  result.events = slice.events;
  result.relevant = slice.relevant;
  result.records = sink.slicer.records();
  result.lines = lines_of(slice, *execution->result);
  for (const auto& [thread, relevant] : slice.relevant_threads)
    if (thread < execution->decisions.threads.size())
      result.threads.push_back({execution->decisions.descent_name(thread), relevant});
  return result;
}

}  // namespace heddle::slice
