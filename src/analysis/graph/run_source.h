#pragma once
#include <vector>

#include "binary/program_file.h"
#include "experiment/trial_runner.h"
#include "explore/portfolio.h"
#include "graph/collect.h"
#include "graph/model/run_sites.h"

namespace heddle::graph {

struct ObservedRun {
  run::Outcome outcome;
  bool interrupted = false;
  std::uint64_t steps = 0;
  std::vector<RunEdge> edges;
  std::uint64_t dropped = 0;
  HardwareCounters hardware;
  RunSites sites;
};

// Makes the runs of a collection: copies of a fork server where that is possible, native runs and runs under --driver
// in a process of their own. Edges come from the runtime's table (Model::Software), from a model of the caches that
// observes the events of the run, or from the processor's samples (Model::Hardware).
class RunSource {
 public:
  // REQUIRES: an InterruptGuard lives as long as the source; `program` and `options` do, too.
  RunSource(const binary::ProgramFile& program, const CollectOptions& options);

  Status start();
  // Under control, the same options and index give the same run. REQUIRES: started.
  Result<ObservedRun> make(std::uint64_t index);

 private:
  const CollectOptions& options_;
  const explore::Profile profile_;
  run::Runner runner_;
  experiment::TrialRunner trials_;
  std::vector<RunEdge> before_main_;
  RunSiteCache sites_;
};

}  // namespace heddle::graph
