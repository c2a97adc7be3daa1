#pragma once
#include <functional>

#include "coredump/core_input.h"
#include "coredump/core_report.h"
#include "coredump/search/passing_runs.h"

namespace heddle::coredump {

// A passing run, and the differences between its memory at the aligned point and the core.
struct ComparedRun {
  PassingRun passing;
  AlignedRun aligned;
  Comparison comparison;
};

class RunComparer {
 public:
  using ShowImage = std::function<void(const binary::CoreImage&)>;
  // REQUIRES: all arguments outlive this. `show_image` receives the image of each run before the comparison.
  RunComparer(const CoreInput& core, const std::string& program, Reruns& reruns, binary::Symbolizer& symbolizer,
              ShowImage show_image)
      : core_(core), program_(program), reruns_(reruns), symbolizer_(symbolizer), show_image_(std::move(show_image)) {}

  // Executes the run again up to its aligned point.
  Result<ComparedRun> compare(PassingRun passing);

 private:
  void place_aligned_point(const std::vector<binary::StackFrame>& stack, ComparedRun& run);

  const CoreInput& core_;
  const std::string& program_;
  Reruns& reruns_;
  binary::Symbolizer& symbolizer_;
  const ShowImage show_image_;
};

}  // namespace heddle::coredump
