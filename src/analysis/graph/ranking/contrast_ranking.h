#pragma once
// Our own ranking. The paper's ranking counts the contexts of a code point. It ignores in how many failing runs an edge
// occurs, and longer contexts scatter one cause over many nodes. This ranking weighs edges at every context size up to
// that of the graphs, with the context of one end or of both, and keeps the best edge of each code point:
//
// - labelled: the weight grows with the share of failing runs that have the edge, compared with passing runs, and falls
//   with the probability that the difference is chance. Among thousands of edges some are in a few failing runs only.
//   Therefore the weight depends on how many equally conclusive edges the points at both ends are expected to have
//   under random labels: few if a point does the same in all runs, many if it does something different each time.
// - unlabelled: the same, with outliers (outlier_runs.h) in the place of failing runs. Without outliers an edge weighs
//   by its rarity, if its point otherwise does the same in all runs.
//
// Chance is spread over the whole run, but most failures follow their cause soon. So a late edge needs less evidence,
// in particular if few runs have it. A first value (of a constructor, say) is the same in every order: the edge counts,
// but not its context. Of two edges of equal weight, the earlier one in the run is nearer to the cause.
#include "graph/ranking/label_chance.h"
#include "graph/ranking/ranking.h"

namespace heddle::graph {

class ContrastRanker final : public Ranker {
 public:
  explicit ContrastRanker(const RankOptions& options) : options_(options), space_(options.context_size) {}
  Status add(const Graph& graph, const std::string& name) override;
  std::vector<RankedPoint> finish() const override;

 private:
  // Of an edge with its full contexts, and summed over the edges that become one when contexts are cut.
  struct Tally {
    std::uint32_t extra_failing = 0, extra = 0;  // runs beyond the first of each graph, in graphs of many runs
    std::uint32_t counted = 0;                   // graphs in the sum of orders
    double order = 0;                            // sum; each between 0 and 1
  };
  // The nodes of one context size.
  struct Ends {
    std::vector<std::uint32_t> numbers;  // by node with its full context
    std::vector<std::uint32_t> points;   // by number; 0 is memory, other values are the code point plus 1
    std::vector<std::uint32_t> sites;    // by number
  };
  // An edge with contexts of reduced size.
  struct CutEdge {
    std::uint32_t source_point = 0, sink_point = 0;
    std::uint32_t source_site = 0, sink_site = 0;
    std::uint32_t failing = 0, all = 0;  // runs
    double order = 0;                    // mean
  };
  static constexpr double kNothing = -1000;
  struct Evidence {
    double weight = kNothing;  // of the best edge, at most 1
    double order = 2;          // later than any edge
  };

  // How the edges of each code point are distributed over runs.
  class EdgeSpread {
   public:
    EdgeSpread(const std::vector<CutEdge>& edges, std::size_t points);
    // Expected number of the point's edges that are as conclusive as one of this probability, under random labels.
    double edges_as_conclusive(std::uint32_t point, double chance, LabelChance& labels) const;

   private:
    struct Group {
      std::uint32_t runs = 0;   // that have each of the edges
      std::uint32_t edges = 0;  // their number
    };
    std::vector<Group> groups_;        // sorted by point
    std::vector<std::size_t> begins_;  // of each point's groups
  };

  static void note(const Evidence& found, Evidence& best);
  std::vector<Ends> cut_nodes(CodePoints& points) const;
  // For each edge a row of bits, one per graph.
  std::vector<std::uint64_t> graphs_by_edge() const;
  std::size_t row_words() const { return graphs_ / 64 + 1; }
  std::vector<CutEdge> cut_edges(const Ends& sources, const Ends& sinks,
                                 const std::vector<std::uint64_t>& graph_rows) const;
  // By site number: whether the site is never the sink of an edge.
  std::vector<bool> find_first_values() const;
  void weigh_labelled(const std::vector<CutEdge>& edges, const std::vector<bool>& first_values, bool contexts,
                      LabelChance& labels, std::vector<Evidence>& evidence) const;
  void weigh_unlabelled(const std::vector<CutEdge>& edges, std::vector<Evidence>& evidence) const;

  const RankOptions options_;
  NodeSpace space_;
  FlatIndex edges_;
  std::vector<Tally> tallies_;  // by edge
  // By graph, one bit per edge. Counts of runs cannot be added when contexts are cut, because one run may have several
  // of the edges that become one. Rows are per graph because the edges of one graph have close numbers.
  std::vector<std::vector<std::uint64_t>> edges_of_graphs_;
  std::vector<std::uint64_t> failing_graphs_;  // one bit per graph
  std::vector<std::uint32_t> numbers_;         // of the current graph's nodes
  std::uint64_t failing_runs_ = 0;
  std::uint64_t runs_ = 0;
  std::uint32_t graphs_ = 0;
};

}  // namespace heddle::graph
