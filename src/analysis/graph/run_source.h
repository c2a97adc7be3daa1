#pragma once
// Where the runs of a collection come from.
#include <memory>

#include "binary/program_file.h"
#include "graph/collect.h"
#include "graph/model/graph_builder.h"
#include "run/verdict/outcome.h"

namespace heddle::graph {

struct ObservedRun {
  run::Outcome outcome;
  bool interrupted = false;
  std::uint64_t steps = 0;
  std::vector<RunEdge> edges;
  std::uint64_t dropped = 0;
  HardwareCounters hardware;
  std::shared_ptr<const CodeSites> sites;
  std::shared_ptr<const CallSites> call_sites;
};

class RunSource {
 public:
  virtual ~RunSource() = default;
  // Same options and index, same run (under control).
  virtual Result<ObservedRun> make(std::uint64_t index) = 0;
};

// REQUIRES: an InterruptGuard that lives as long as the source; `options` and `program` likewise.
Result<std::unique_ptr<RunSource>> make_run_source(const binary::ProgramFile& program, const CollectOptions& options);

}  // namespace heddle::graph
