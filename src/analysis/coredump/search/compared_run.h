#pragma once
#include <functional>

#include "coredump/core_report.h"
#include "coredump/given_core.h"
#include "coredump/search/passing_runs.h"

namespace heddle::coredump {

// A passing run, and what of its memory differs from the core when it stands at the aligned point.
struct ComparedRun {
  PassingRun passing;
  AlignedRun aligned;
  Comparison comparison;
};

class RunComparer {
 public:
  // All outlive this. `look_at_image`: gets the image of each run before it is compared.
  RunComparer(const GivenCore& core, const std::string& program, Reruns& reruns, binary::Symbolizer& symbolizer,
              std::function<void(const binary::CoreImage&)> look_at_image)
      : core_(core),
        program_(program),
        reruns_(reruns),
        symbolizer_(symbolizer),
        look_at_image_(std::move(look_at_image)) {}

  // Executes the run once more, to its aligned point.
  Result<ComparedRun> compare(PassingRun passing);

 private:
  void place_aligned_point(const std::vector<binary::StackFrame>& stack, ComparedRun& run);

  const GivenCore& core_;
  const std::string& program_;
  Reruns& reruns_;
  binary::Symbolizer& symbolizer_;
  std::function<void(const binary::CoreImage&)> look_at_image_;
};

}  // namespace heddle::coredump
