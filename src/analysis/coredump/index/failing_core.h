#pragma once
// A core and all that is read out of it alone.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "binary/debug_info/debug_view.h"
#include "binary/image/comparison.h"
#include "binary/image/core_image.h"
#include "binary/sections/block_rows.h"
#include "binary/symbolizer.h"
#include "coredump/index/failure_index.h"
#include "run/verdict/outcome.h"

namespace heddle::coredump {

struct FailingCore {
  std::unique_ptr<binary::CoreImage> image;  // the view refers to it
  std::unique_ptr<binary::DebugView> view;
  binary::BlockTable table;
  std::vector<binary::StackFrame> stack;  // of the thread that failed
  std::vector<binary::ThreadStack> other_stacks;
  std::vector<binary::SourceFrame> source_stack;
  FailureIndex index;
  std::map<std::string, FailureIndex> other_indices;  // where the other threads stood, by descent name
  run::Outcome outcome;
  std::string thread;  // descent name; empty: the program does not keep it
};

// Fails, in one line that says what follows from it, when the core is damaged, of another build, or of a program that
// was not built for this.
Result<FailingCore> read_failing_core(const std::string& core, const std::string& program,
                                      binary::Symbolizer& symbolizer);

}  // namespace heddle::coredump
