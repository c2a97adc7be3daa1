#pragma once
// Bugaboo in the field (section 5): a program runs natively beside the union graph of its tests, and what it does that
// no test did is reported while it runs. The program is watched from this process; it is not stopped.
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graph/collect.h"
#include "graph/heuristics.h"
#include "graph/ranking/ranking.h"

namespace heddle::graph {

struct MonitorOptions {
  CollectOptions collect;  // its context size, granularity and events are those of `tested`
  Graph tested;
  std::string tested_name;
  double threshold = kNoveltyDefault;
  std::chrono::milliseconds interval{1'000};
};

struct FieldFinding {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  double novelty = 0;  // 1: tests have never shown anything new here
  std::uint32_t new_edges = 0;
  bool at_exit = false;  // else while the program ran
};

struct MonitorReport {
  std::vector<FieldFinding> findings;
  std::string outcome;
  bool failed = false;
  bool interrupted = false;
  std::uint64_t looks = 0;
  std::uint64_t new_edges = 0;
};

// How surprising a new edge is at each code point, after what tests have shown there: one less the share of edges that
// were new when they were met, as Good and Turing estimate it.
class Habits {
 public:
  explicit Habits(const Graph& tested);
  double novelty(const CodeSite& site) const;

 private:
  struct Counts {
    std::uint64_t seen = 0;  // edges, once for each run
    std::uint64_t once = 0;  // edges of one run
  };
  std::map<std::pair<std::string, std::uint32_t>, Counts> points_;
};

// The new code points of a graph that are not among `known` yet, the most surprising first.
std::vector<FieldFinding> find_novelties(const Graph& difference, const Habits& habits, double threshold);

Result<MonitorReport> monitor(const MonitorOptions& options,
                              const std::function<void(const FieldFinding&)>& report_finding);

}  // namespace heddle::graph
