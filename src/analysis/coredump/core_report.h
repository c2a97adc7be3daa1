#pragma once
#include <optional>
#include <string>
#include <vector>

#include "binary/image/comparison.h"
#include "binary/symbolizer.h"
#include "coredump/index/alignment.h"
#include "coredump/index/failure_index.h"
#include "coredump/search/candidates.h"
#include "coredump/search/passing_runs.h"
#include "coredump/search/search.h"
#include "run/verdict/outcome.h"

namespace heddle::coredump {

// What the core says.
struct ReadCore {
  run::Outcome outcome;
  std::vector<binary::SourceFrame> stack;
  std::string thread;  // descent name; empty: not known
  std::size_t threads = 0;
  std::uint64_t bytes = 0;
  FailureIndex index;
  double seconds = 0;
};

// The passing run that is compared with the core, and how near it comes.
struct AlignedRun {
  std::optional<ThreadOrder> order;  // nullopt: no run was compared
  AlignedPoint point;
  std::string thread;
  std::string file;  // of the point
  std::uint32_t line = 0;
  std::uint64_t bytes = 0;  // of the program's memory there
  double seconds = 0;
};

// What differs between the core and that run at its aligned point, and where the run may be preempted for it.
struct Comparison {
  std::uint64_t variables = 0;
  std::uint64_t differences = 0;
  std::vector<binary::Difference> listed;
  Sharing sharing;
  std::uint64_t candidates = 0;
  double seconds = 0, rank_seconds = 0;
};

struct SearchResult {
  SearchMethod method = SearchMethod::Dependence;
  std::uint64_t tries = 0;
  std::uint64_t other_failures = 0;
  bool exhausted = false;
  Match match = Match::No;
  bool index_matches = false;  // the run of the clip fails at the very index of the core
  run::Outcome found;
  std::string clip;  // path; empty: none was found
  double seconds = 0;
};

struct CoreReport {
  ReadCore core;
  bool passed = false;  // false: the run again failed at once as the core says, and there is nothing to compare
  // The run in which the schedule was found, else the first.
  AlignedRun aligned;
  Comparison comparison;
  SearchResult search;
  std::string aligned_core;  // path, where it is asked for
  bool interrupted = false;
  std::vector<std::string> problems;
};

}  // namespace heddle::coredump
