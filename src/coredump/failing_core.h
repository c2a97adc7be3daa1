#pragma once
// A core and all that is read out of it alone.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "coredump/block_rows.h"
#include "coredump/core_image.h"
#include "coredump/comparison.h"
#include "coredump/debug_view.h"
#include "coredump/failure_index.h"
#include "run/outcome.h"
#include "run/symbolizer.h"

namespace heddle::coredump {

struct FailingCore {
  std::unique_ptr<CoreImage> image;  // the view refers to it
  std::unique_ptr<DebugView> view;
  BlockTable table;
  std::vector<StackFrame> stack;  // of the thread that failed
  std::vector<ThreadStack> other_stacks;
  std::vector<run::SourceFrame> source_stack;
  FailureIndex index;
  std::map<std::string, FailureIndex> other_indices;  // where the other threads stood, by descent name
  run::Outcome outcome;
  std::string thread;  // descent name; empty: the program does not keep it
};

// Fails, in one line that says what follows from it, when the core is damaged, of another build, or of a program that was
// not built for this.
Result<FailingCore> read_failing_core(const std::string& core, const std::string& program, run::Symbolizer& symbolizer);

}  // namespace heddle::coredump
