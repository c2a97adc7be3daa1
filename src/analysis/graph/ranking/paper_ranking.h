#pragma once
#include "graph/ranking/ranking.h"

namespace heddle::graph {

// Ranking::Paper, PaperSum and PaperExecutions. Labelled, it ranks the edges that no passing run has. Both ends of an
// edge count; memory is not a code point.
class PaperRanker final : public Ranker {
 public:
  explicit PaperRanker(const RankOptions& options);
  Status add(const Graph& graph, const std::string& name) override;
  std::vector<RankedPoint> finish() const override;

 private:
  struct Occurrence {
    std::uint32_t runs = 0;
    std::uint32_t last_graph = 0;
  };
  void note_node(std::uint64_t point, Context context, std::uint32_t runs);

  const RankOptions options_;
  const Context mask_;
  GraphUnion passing_;
  NodeSpace space_;
  CodePoints points_;
  FlatIndex occurrence_index_;  // point << 24 | context
  std::vector<Occurrence> occurrences_;
  std::vector<std::uint64_t> executions_;     // by point
  std::vector<std::uint32_t> point_of_site_;  // of the current graph
  std::uint32_t graphs_ = 0;
};

}  // namespace heddle::graph
