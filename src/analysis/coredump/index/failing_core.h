#pragma once
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

// The facts of a crash that an export keeps.
struct CoreFacts {
  run::Outcome outcome;
  std::vector<binary::SourceFrame> source_stack;  // of the failing thread
  std::string thread;                             // descent name; empty: the program does not record it
  std::size_t threads = 0;
  std::uint64_t bytes = 0;
  FailureIndex index;
  std::map<std::string, FailureIndex> other_indices;  // of the positions of the other threads, by descent name
  double seconds = 0;                                 // that reading took

  bool knows_all_threads() const { return threads == other_indices.size() + 1; }
};

struct FailingCore : CoreFacts {
  std::unique_ptr<binary::CoreImage> image;  // the view refers to it
  std::unique_ptr<binary::DebugView> view;
  binary::BlockTable table;
  std::vector<binary::StackFrame> stack;  // of the failing thread
  std::vector<binary::ThreadStack> other_stacks;
};

// Fails if the core is damaged, of another build, or of a program without a production build; the error is one line.
Result<FailingCore> read_failing_core(const std::string& core, const std::string& program,
                                      binary::Symbolizer& symbolizer);

}  // namespace heddle::coredump
