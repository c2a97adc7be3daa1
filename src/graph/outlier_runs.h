#pragma once
#include <string>
#include <vector>

#include "graph/graph_union.h"

namespace heddle::graph {

// Which runs went wrong, when nobody says so: those that lack what nearly all others have. A run that crashes, hangs or
// takes another way leaves out communication that is usual; one that is merely ordered differently does not.
class OutlierRuns {
 public:
  Status add(const Graph& graph, const std::string& name);
  // By the order in which they came. None, or less than half of them.
  std::vector<bool> find() const;

 private:
  struct Having {
    std::uint32_t runs = 0;      // that have it
    std::uint32_t last_run = 0;  // of these, counted from 1
  };
  NodeSpace space_{0};
  FlatIndex edges_;
  std::vector<Having> having_;                       // by edge
  std::vector<std::vector<std::uint32_t>> of_runs_;  // edges of each
  std::vector<std::uint32_t> numbers_;
};

}  // namespace heddle::graph
