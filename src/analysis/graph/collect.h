#pragma once
#include <functional>
#include <optional>
#include <string>

#include "graph/graph.h"
#include "graph/heuristics.h"
#include "graph/model/hardware_model.h"
#include "graph/model/load_samples.h"
#include "run/run_options.h"
#include "support/result.h"

namespace heddle::graph {

struct CollectOptions : Method {
  run::RunOptions run;  // native: real threads, no schedules
  std::uint64_t runs = kRunsDefault;
  std::uint64_t seed = 1;
  // Quotas: collecting ends when both are met, and graphs beyond a quota are not written.
  std::optional<std::uint64_t> passing_wanted;
  std::optional<std::uint64_t> failing_wanted;
  std::optional<format::StrategyKind> strategy;  // instead of a mix
  HardwareConfig hardware;
  // Model::Hardware: transfers that the processor samples in native runs, instead of modelled transfers.
  std::optional<LoadEvent> load_event;
  std::string out_directory;
};

struct CollectReport {
  std::uint64_t runs = 0;
  std::uint64_t failing_runs = 0;
  std::uint64_t kept_passing = 0, kept_failing = 0;  // files written
  std::uint64_t nodes = 0, edges = 0;                // of the union of all graphs
  std::uint64_t largest_file_bytes = 0;
  std::uint64_t dropped = 0;
  double seconds = 0;
  std::uint64_t steps = 0;    // of all controlled runs
  HardwareCounters hardware;  // of all runs, with Model::Hardware
  bool interrupted = false;
};

// Runs the program repeatedly and writes a graph of each run, labelled by its outcome, also if the run crashes.
Result<CollectReport> collect(const CollectOptions& options, const std::function<void(const CollectReport&)>& show);

// The graph of a recorded run.
Result<Graph> graph_of_trace(const std::string& trace_path, const CollectOptions& options);

// The part of the options that the runtime needs.
format::GraphConfig graph_config(const CollectOptions& options);

}  // namespace heddle::graph
