#pragma once
// Bugaboo in the field (section 5): a program runs natively while this process compares its edges with the union graph
// of its tests and reports those that no test had. The program is observed through shared memory; it is not stopped.
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
  CollectOptions collect;  // collected by the method of `tested`
  Graph tested;
  std::string tested_name;
  double threshold = kNoveltyDefault;
  std::chrono::milliseconds interval{1'000};
};

struct FieldFinding {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  double novelty = 0;  // 1: tests never had anything new here
  std::uint32_t new_edges = 0;
  bool at_exit = false;  // false: reported while the program ran
};

struct MonitorReport {
  std::vector<FieldFinding> findings;
  std::string outcome;
  bool failed = false;
  bool interrupted = false;
  std::uint64_t looks = 0;
  std::uint64_t new_edges = 0;
};

// How surprising a new edge is at each code point after the tests: 1 less the probability that the next edge there is
// new, by the Good-Turing estimate (the share of edges that only one run has).
class NoveltyModel {
 public:
  explicit NoveltyModel(const Graph& tested);
  double novelty(const CodeSite& site) const;

 private:
  struct Counts {
    std::uint64_t seen = 0;  // edges, once per run
    std::uint64_t once = 0;  // edges that one run has
  };
  std::map<std::pair<std::string, std::uint32_t>, Counts> points_;
};

// The code points of a difference whose novelty reaches the threshold, the most surprising first.
std::vector<FieldFinding> find_novelties(const Graph& difference, const NoveltyModel& model, double threshold);

Result<MonitorReport> monitor(const MonitorOptions& options,
                              const std::function<void(const FieldFinding&)>& report_finding);

}  // namespace heddle::graph
