#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/heuristics.h"
#include "graph/model/hardware_model.h"
#include "graph/model/load_samples.h"
#include "run/run_options.h"
#include "support/result.h"

namespace heddle::graph {

struct CollectOptions {
  run::RunOptions run;  // native: real threads, no schedules
  std::uint64_t runs = kRunsDefault;
  std::uint64_t seed = 1;
  // With either, runs end as soon as there are so many of each; what is beyond is not kept.
  std::optional<std::uint64_t> passing_wanted;
  std::optional<std::uint64_t> failing_wanted;
  std::optional<format::StrategyKind> strategy;  // instead of a mix
  Model model = Model::Software;
  HardwareConfig hardware;  // its context size is that below
  std::optional<LoadEvent>
      load_event;  // Model::Hardware: transfers that the processor samples in native runs, not modelled ones
  std::uint32_t granule_bytes = 8;
  std::uint32_t context_size = graph_rules::kContextSizeDefault;
  format::GraphEvents events = format::GraphEvents::Writers;
  std::string out_directory;
};

struct CollectReport {
  std::uint64_t runs = 0;
  std::uint64_t failing_runs = 0;
  std::uint64_t kept_passing = 0, kept_failing = 0;  // files written
  std::uint64_t nodes = 0, edges = 0;                // of their union
  std::uint64_t largest_file_bytes = 0;
  std::uint64_t dropped = 0;
  double seconds = 0;
  std::uint64_t steps = 0;    // of all runs, under control
  HardwareCounters hardware;  // of all runs, with Model::Hardware
  bool interrupted = false;
};

// Runs the program again and again and writes a graph of each run, labelled by its outcome, whether it ends or crashes.
Result<CollectReport> collect(const CollectOptions& options, const std::function<void(const CollectReport&)>& show);

// The graph of a run that was recorded.
Result<Graph> graph_of_trace(const std::string& trace_path, const CollectOptions& options);

// As the session wants it.
format::GraphConfig graph_config(const CollectOptions& options);

}  // namespace heddle::graph
