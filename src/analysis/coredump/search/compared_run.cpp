#include "coredump/search/compared_run.h"

#include "coredump/search/access_map.h"
#include "support/duration.h"

namespace heddle::coredump {

Result<ComparedRun> RunComparer::compare(PassingRun passing) {
  Result<binary::CoreImage> image = reruns_.freeze(passing.schedule, passing.thread, passing.aligned.ordinal);
  if (!image) return image.error();
  const auto begin = std::chrono::steady_clock::now();
  ComparedRun result;
  result.passing = std::move(passing);
  result.aligned.order = result.passing.order;
  result.aligned.point = result.passing.aligned;
  result.aligned.thread = result.passing.thread;
  result.aligned.bytes = image->size_bytes;
  result.aligned.seconds = result.passing.run.seconds;
  show_image_(*image);
  image->add_file_contents(program_);
  Result<std::unique_ptr<binary::DebugView>> view = binary::DebugView::open(*image, program_);
  if (!view) return view.error();
  const std::vector<binary::StackFrame> stack = (*view)->unwind(0);
  place_aligned_point(stack, result);
  const std::vector<binary::ThreadStack> others = binary::unwind_others(**view);
  const binary::ComparedStack passing_stack{**view, stack, others};
  const AccessMap accesses(result.passing.run.events);
  const binary::SharedTest is_shared = [&](std::uint64_t address, std::uint64_t size) {
    return accesses.is_shared(address, size);
  };
  const FailingCore& failing = core_.failing;
  binary::ComparisonReport report =
      core_.exported ? compare_with_export(*core_.exported, passing_stack, is_shared)
                     : binary::compare({*failing.view, failing.stack, failing.other_stacks}, passing_stack, is_shared);
  result.comparison.seconds = seconds_since(begin);
  result.comparison.sharing = find_critical(report, accesses);
  result.comparison.variables = report.variables;
  result.comparison.differences = report.differences;
  result.comparison.listed = std::move(report.list);
  return result;
}

void RunComparer::place_aligned_point(const std::vector<binary::StackFrame>& stack, ComparedRun& run) {
  for (const binary::StackFrame& frame : stack) {
    if (frame.module != program_) continue;
    for (const binary::SourceFrame& source : symbolizer_.lookup(frame.module, frame.file_address, false)) {
      if (!run::is_own_code(source) || source.line == 0) continue;
      run.aligned.file = source.file;
      run.aligned.line = source.line;
      return;
    }
  }
  run.aligned.file = run.passing.aligned.source;
  run.aligned.line = run.passing.aligned.line;
}

}  // namespace heddle::coredump
