#pragma once
#include <string>
#include <vector>

#include "graph/ranking/ranking.h"
#include "graph/store/graph_union.h"

namespace heddle::graph {

// Which runs went wrong, when nobody says so: those that lack much more of what other runs have than the rest. A run
// that crashes, hangs or takes another way leaves out communication; one that is merely ordered differently leaves out
// little.
class OutlierRuns {
 public:
  Status add(const Graph& graph, const std::string& name);
  // By the order in which they came. None: the runs are too much alike.
  std::vector<bool> find() const;

 private:
  // Of each run, one more than the number of times that others have an edge which it has not.
  std::vector<double> lacking() const;

  struct Having {
    std::uint32_t runs = 0;      // that have it
    std::uint32_t last_run = 0;  // of these, counted from 1
  };
  NodeSpace space_{0};
  CodePoints points_;
  FlatIndex edges_;                                  // between points
  std::vector<Having> having_;                       // by edge
  std::vector<std::vector<std::uint32_t>> of_runs_;  // edges of each
};

}  // namespace heddle::graph
