#pragma once
// From a core to a clip: the failure's index, the aligned point of a run under control, what differs there, and the
// schedule that fails (multicore dumps, section 2).
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "binary/image/comparison.h"
#include "binary/symbolizer.h"
#include "coredump/core_export.h"
#include "coredump/index/alignment.h"
#include "coredump/index/failure_index.h"
#include "coredump/search/candidates.h"
#include "coredump/search/passing_runs.h"
#include "coredump/search/search.h"
#include "experiment/progress.h"
#include "run/run_options.h"

namespace heddle::coredump {

struct CoreOptions {
  std::string core_path;  // or what export_core() has written
  std::string key_path;   // of that; empty: beside it
  std::string production_program;
  run::RunOptions run;  // the program that is run again
  std::string out_directory = "heddle-clips";
  SearchOptions search;
  bool by_count = false;    // align by the count of points instead of by the index (Table 5)
  bool at_accesses = true;  // preempt at accesses to critical variables, too
  Wanted wanted = Wanted::Failure;
  bool keep_aligned_core = false;
};

struct CoreReport {
  // What the core says.
  run::Outcome outcome;
  std::vector<binary::SourceFrame> stack;
  std::string thread;  // descent name; empty: not known
  std::size_t core_threads = 0;
  std::uint64_t core_bytes = 0;
  std::uint64_t aligned_bytes = 0;
  FailureIndex index;
  std::vector<std::string> function_names;  // of the index's entries, for people

  // The run again.
  bool passed = false;             // false: it failed at once as the core says
  std::optional<ThreadOrder> order;  // in the passing run that the following speaks of; nullopt: none was compared
  AlignedPoint aligned;
  std::string aligned_thread;
  std::string aligned_file;
  std::uint32_t aligned_line = 0;
  std::uint64_t variables_compared = 0;
  std::uint64_t differences = 0;
  std::vector<binary::Difference> listed;
  std::uint64_t shared = 0;
  std::vector<CriticalVariable> critical;
  std::uint64_t candidates = 0;

  // The search.
  SearchMethod method = SearchMethod::Dependence;
  std::uint64_t tries = 0;
  std::uint64_t other_failures = 0;
  bool exhausted = false;
  Match match = Match::No;
  bool index_matches = false;  // the run of the clip fails at the very index of the core
  run::Outcome found;
  std::string clip;  // path; empty: none was found
  std::string aligned_core;

  double read_seconds = 0, rerun_seconds = 0, compare_seconds = 0, rank_seconds = 0, search_seconds = 0;
  bool interrupted = false;
  std::vector<std::string> problems;
};

// Writes what the analysis needs of a core, without values, to `path` and `path`.key.
Result<ExportReport> export_core(const std::string& core, const std::string& program, const std::string& path);

// Fails when the core cannot be used, or the program cannot be run again under control.
Result<CoreReport> analyse_core(const CoreOptions& options, const experiment::ShowProgress& show);

}  // namespace heddle::coredump
