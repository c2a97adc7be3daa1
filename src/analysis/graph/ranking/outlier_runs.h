#pragma once
#include <string>
#include <vector>

#include "graph/ranking/ranking.h"
#include "graph/store/graph_union.h"

namespace heddle::graph {

// Finds the runs that probably failed when there are no labels: outliers that lack many of the edges that other runs
// have. A run that crashes, hangs or takes an error path misses much communication; a run that is merely ordered
// differently misses little.
class OutlierRuns {
 public:
  Status add(const Graph& graph, const std::string& name);
  // By run, in the order of add(). All false: the runs are too similar.
  std::vector<bool> find() const;

 private:
  struct Presence {
    std::uint32_t runs = 0;      // that have the edge
    std::uint32_t last_run = 0;  // that has it, from 1
  };
  // Of each run: 1 plus the presences of the edges that it lacks.
  std::vector<double> missing_presences() const;

  NodeSpace space_{0};
  CodePoints points_;
  FlatIndex edges_;                  // between code points
  std::vector<Presence> presences_;  // by edge
  std::vector<std::vector<std::uint32_t>> edges_of_runs_;
};

}  // namespace heddle::graph
