#pragma once
// Our own ranking. The paper's looks at how many contexts a code point has; it cannot see in how many failing runs a thing
// happens, and longer contexts scatter one cause over many nodes. This one looks at edges, at every context size up to
// that of the graphs, with the context of one end or of both, and keeps for each point its most telling edge:
//
// - labelled: an edge tells by the share of failing runs that have it, less what passing runs have of it;
// - unlabelled: the same between runs that seem to have gone wrong and the others (outlier_runs.h); where none does, an
//   edge tells by its rarity, if the point otherwise does the same in all runs.
//
// Among edges that tell as much, the one that comes earlier in its run is nearer to the cause.
#include "graph/ranking.h"

namespace heddle::graph {

class ContrastRanker final : public Ranker {
 public:
  explicit ContrastRanker(const RankOptions& options);
  Status add(const Graph& graph, const std::string& name) override;
  std::vector<RankedPoint> finish() const override;

 private:
  struct Tally {
    std::uint32_t failing = 0;
    std::uint32_t all = 0;
    std::uint32_t last_graph = 0;
    double order = 0;  // sum over the counted runs, each between 0 and 1
  };
  // Nodes with contexts of one size.
  struct Ends {
    explicit Ends(std::uint32_t context_size) : space(context_size) {}
    NodeSpace space;
    std::vector<std::uint32_t> points;   // by node; 0 is memory, others are one more than their number
    std::vector<std::uint32_t> numbers;  // of the nodes of the graph at hand
  };
  // Edges with contexts of one size at either end.
  struct Level {
    std::uint32_t source_size = 0, sink_size = 0;
    FlatIndex edges;
    std::vector<Tally> tallies;
  };
  struct Evidence {
    double weight = 0;  // 0 to 1: how telling the best edge is
    double order = 1;
  };

  static void note(const Evidence& found, Evidence& best);
  void number_ends(Ends& ends, const Graph& graph);
  void add_to(Level& level, const Graph& graph);
  std::uint32_t source_point(const Level& level, std::uint32_t edge) const;
  std::uint32_t sink_point(const Level& level, std::uint32_t edge) const;
  void weigh_labelled(const Level& level, std::vector<Evidence>& evidence) const;
  void weigh_unlabelled(const Level& level, std::vector<Evidence>& evidence) const;

  const RankOptions options_;
  std::vector<Ends> ends_;  // by context size
  std::vector<Level> levels_;
  CodePoints points_;
  std::uint64_t failing_runs_ = 0;
  std::uint64_t runs_ = 0;
  std::uint32_t graphs_ = 0;
};

}  // namespace heddle::graph
