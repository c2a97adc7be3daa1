#include "coredump/index/failing_core.h"

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "binary/elf_file.h"
#include "binary/sections/machine_points.h"
#include "run/replay/clip_builder.h"

namespace heddle::coredump {
namespace {

constexpr char kProductionBuild[] = "HEDDLE_BUILD=production heddle-c++";

Status check_build(const binary::CoreImage& image, const std::string& core, const std::string& program) {
  Result<binary::ElfFile> file = binary::ElfFile::open(program);
  if (!file) return file.error();
  const std::string in_core = image.program_build_id();
  const std::string in_file = file->build_id();
  const binary::MappedFile* mapped = image.program_file();
  if (!in_core.empty() && in_core != in_file)
    return Error{core + " is of another build than " + program + " (build-id " + in_core.substr(0, 12) + ", not " +
                 in_file.substr(0, 12) + "), which has other addresses; name the file that crashed with --program" +
                 (mapped != nullptr ? " (it was " + mapped->path + ")" : "")};
  if (mapped == nullptr)
    return Error{core + " does not say which program it is of; it is damaged, or not the core of a program"};
  if (in_core.empty() && std::filesystem::path(mapped->path).filename() != std::filesystem::path(program).filename())
    return Error{core + " is of " + mapped->path + ", not of " + program + "; name the former with --program"};
  return ok_status();
}

run::Outcome outcome_of(const FailingCore& core) {
  run::Outcome outcome;
  outcome.signal = core.image->signal;
  outcome.kind = format::OutcomeKind::Signal;
  if (outcome.signal != SIGABRT) return outcome;
  const bool asserted = std::any_of(core.stack.begin(), core.stack.end(), [](const binary::StackFrame& frame) {
    return frame.symbol.starts_with("__assert_fail");
  });
  outcome.kind = asserted ? format::OutcomeKind::Assert : format::OutcomeKind::Abort;
  return outcome;
}

std::vector<binary::SourceFrame> source_stack(const std::vector<binary::StackFrame>& stack,
                                              binary::Symbolizer& symbolizer) {
  std::vector<binary::SourceFrame> frames;
  for (const binary::StackFrame& frame : stack)
    for (const binary::SourceFrame& source : symbolizer.lookup(frame.module, frame.file_address, false))
      frames.push_back(source);
  return frames;
}

}  // namespace

Result<FailingCore> read_failing_core(const std::string& core, const std::string& program,
                                      binary::Symbolizer& symbolizer) {
  FailingCore failing;
  Result<binary::CoreImage> image = binary::read_core_file(core);
  if (!image) return image.error();
  failing.image = std::make_unique<binary::CoreImage>(std::move(*image));
  if (Status right = check_build(*failing.image, core, program); !right) return right.error();
  Result<binary::BlockTable> table = binary::BlockTable::read(program, kProductionBuild);
  if (!table) return table.error();
  failing.table = std::move(*table);
  failing.image->add_file_contents(program);
  Result<std::unique_ptr<binary::DebugView>> view = binary::DebugView::open(*failing.image, program);
  if (!view) return view.error();
  failing.view = std::move(*view);
  const Result<binary::MachinePoints> points = binary::MachinePoints::read(program);
  if (!points) return points.error();

  failing.stack = failing.view->unwind(0);
  ControlFlow flow(failing.table);
  Result<FailureIndex> index = find_failure_index(*failing.view, failing.stack, flow, *points);
  if (!index) return index.error();
  failing.index = std::move(*index);
  failing.thread = failing.view->descent_of(failing.image->threads.front());
  failing.threads = failing.image->threads.size();
  failing.bytes = failing.image->size_bytes;
  std::map<std::uint64_t, std::string> names;
  for (binary::ImageThread& thread : failing.image->threads) {
    const std::string name = failing.view->descent_of(thread);
    const Result<std::uint64_t> descent = run::parse_descent(name);
    if (!descent) continue;
    thread.descent = *descent;
    names[*descent] = name;
  }
  failing.other_stacks = binary::unwind_others(*failing.view);
  for (const binary::ThreadStack& other : failing.other_stacks)
    if (Result<FailureIndex> found = find_failure_index(*failing.view, other.frames, flow, *points))
      failing.other_indices[names[other.descent]] = std::move(*found);
  failing.source_stack = source_stack(failing.stack, symbolizer);
  failing.outcome = outcome_of(failing);
  failing.outcome.signature = run::make_signature(failing.outcome, failing.source_stack, {});
  return failing;
}

}  // namespace heddle::coredump
