#pragma once
// Our own ranking. The paper's looks at how many contexts a code point has; it cannot see in how many failing runs a
// thing happens, and longer contexts scatter one cause over many nodes. This one looks at edges, at every context size
// up to that of the graphs, with the context of one end or of both, and keeps for each point its most telling edge:
//
// - labelled: an edge tells by the share of failing runs that have it, less what passing runs have of it, and by how
//   unlikely that is to be chance. Of thousands of edges some are in a few failing runs only whatever they mean. So it
//   is counted how many edges as telling the points at both ends would have if the labels were dealt out anew: few
//   where a point does the same in all runs, many where it does something else each time.
// - unlabelled: the same between runs that seem to have gone wrong and the others (outlier_runs.h); where none does, an
//   edge tells by its rarity, if the point otherwise does the same in all runs.
//
// Chance may strike at any moment, and a failure mostly follows its cause soon: what comes late in a failing run needs
// less to convince, and the less the fewer runs speak for it. A first value (a constructor's) is the same whatever the
// order: that it was met counts, after what it was met is not held against anybody. Among edges that tell as much, the
// one that comes earlier in its run is nearer to the cause.
#include "graph/ranking/label_chance.h"
#include "graph/ranking/ranking.h"

namespace heddle::graph {

class ContrastRanker final : public Ranker {
 public:
  explicit ContrastRanker(const RankOptions& options) : options_(options), space_(options.context_size) {}
  Status add(const Graph& graph, const std::string& name) override;
  std::vector<RankedPoint> finish() const override;

 private:
  // Of an edge with whole contexts.
  struct Tally {
    std::uint32_t failing_more = 0, all_more = 0;  // runs beyond one a graph, in graphs of many runs
    std::uint32_t counted = 0;                     // graphs whose order is in the sum
    double order = 0;                              // each between 0 and 1
  };
  // Nodes with contexts of one size.
  struct Ends {
    std::vector<std::uint32_t> numbers;  // by node with its whole context
    std::vector<std::uint32_t> points;   // by number; 0 is memory, others are one more than their number
    std::vector<std::uint32_t> sites;    // by number
  };
  // An edge with shorter contexts at either end.
  struct CutEdge {
    std::uint32_t source_point = 0, sink_point = 0;
    std::uint32_t source_site = 0, sink_site = 0;
    std::uint32_t failing = 0, all = 0;  // runs
    double order = 0;                    // in the mean
  };
  static constexpr double kNothing = -1000;
  struct Evidence {
    double weight = kNothing;  // 1 at most: how telling the best edge is
    double order = 2;          // later than any
  };

  // What the edges of each point are like: how many of them so many runs have.
  class Habits {
   public:
    Habits(const std::vector<CutEdge>& edges, std::size_t points);
    // So many edges of the point are expected to be as telling as one of that chance, if labels say nothing.
    double edges_as_telling(std::uint32_t point, double chance, LabelChance& labels) const;

   private:
    struct Group {
      std::uint32_t runs = 0;
      std::uint32_t edges = 0;
    };
    std::vector<Group> groups_;        // by point
    std::vector<std::size_t> begins_;  // of a point's groups
  };

  static void note(const Evidence& found, Evidence& best);
  std::vector<Ends> cut_nodes(CodePoints& points) const;
  // For each edge a row of bits, one a graph.
  std::vector<std::uint64_t> graphs_by_edge() const;
  std::size_t row_words() const { return graphs_ / 64 + 1; }
  std::vector<CutEdge> cut_edges(const Ends& sources, const Ends& sinks,
                                 const std::vector<std::uint64_t>& having) const;
  // By number of the site: whether it never comes after another thread's write.
  std::vector<bool> find_first_values() const;
  void weigh_labelled(const std::vector<CutEdge>& edges, const std::vector<bool>& first_values, bool contexts,
                      LabelChance& labels, std::vector<Evidence>& evidence) const;
  void weigh_unlabelled(const std::vector<CutEdge>& edges, std::vector<Evidence>& evidence) const;

  const RankOptions options_;
  NodeSpace space_;
  FlatIndex edges_;
  std::vector<Tally> tallies_;  // by edge
  // By graph, a bit an edge: how many runs have an edge with shorter contexts is not a sum, because one run may have
  // several of those that become one. In this order because the edges of one graph come close together.
  std::vector<std::vector<std::uint64_t>> edges_of_graphs_;
  std::vector<std::uint64_t> failing_graphs_;  // a bit each
  std::vector<std::uint32_t> numbers_;         // of the nodes of the graph at hand
  std::uint64_t failing_runs_ = 0;
  std::uint64_t runs_ = 0;
  std::uint32_t graphs_ = 0;
};

}  // namespace heddle::graph
