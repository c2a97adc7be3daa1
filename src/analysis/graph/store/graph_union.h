#pragma once
#include <string>
#include <vector>

#include "graph/graph.h"
#include "support/flat_index.h"
#include "support/result.h"

namespace heddle::graph {

// Gives the sites and nodes of many graphs common numbers. Contexts are cut to their last `context_size` events, which
// gives the graph that would have been collected with this size.
class NodeSpace {
 public:
  explicit NodeSpace(std::uint32_t context_size) : mask_(graph_rules::context_mask(context_size)) {}

  // Fails if `graph` is of another build or method than the previous ones. `name` is its file.
  Status admit(const Graph& graph, const std::string& name);
  // By index of the graph's nodes. REQUIRES: admitted.
  void number_nodes(const Graph& graph, std::vector<std::uint32_t>& numbers);

  std::uint32_t size() const { return nodes_.size(); }
  Context context_of(std::uint32_t node) const { return static_cast<Context>(nodes_.key(node) & kContextBits); }
  const CodeSite& site_of(std::uint32_t node) const { return sites_[site_number_of(node)]; }
  std::uint32_t site_number_of(std::uint32_t node) const { return static_cast<std::uint32_t>(nodes_.key(node) >> 24); }
  const std::vector<CodeSite>& sites() const { return sites_; }
  // The first graph's, with the builds of all graphs.
  const Origin& origin() const { return origin_; }

 private:
  static constexpr std::uint64_t kContextBits = graph_rules::context_mask(graph_rules::kContextSizeMax);

  const Context mask_;
  FlatIndex names_;
  FlatIndex nodes_;
  std::vector<CodeSite> sites_;  // by number of the name
  std::vector<std::uint32_t> site_numbers_;
  Origin origin_;
  std::string first_name_;
};

constexpr std::uint64_t edge_key(std::uint32_t source, std::uint32_t sink) {
  return static_cast<std::uint64_t>(source) << 32 | sink;
}

// Calls `visit(edge, number)` for the edges of a graph, which `edges` numbers, and prefetches lookups. `nodes`: from
// NodeSpace::number_nodes().
template <typename Visit>
void for_each_numbered_edge(const Graph& graph, const std::vector<std::uint32_t>& nodes, FlatIndex& edges,
                            Visit visit) {
  const auto key = [&](const Edge& edge) { return edge_key(nodes[edge.source], nodes[edge.sink]); };
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    if (i + FlatIndex::kAhead < graph.edges.size()) edges.prefetch(key(graph.edges[i + FlatIndex::kAhead]));
    visit(graph.edges[i], edges.insert(key(graph.edges[i])));
  }
}

// All edges of many graphs, with the number of runs that have each.
class GraphUnion {
 public:
  explicit GraphUnion(std::uint32_t context_size) : space_(context_size), context_size_(context_size) {}

  Status add(const Graph& graph, const std::string& name);
  Graph finish() const;
  // The edges of `graph` that the union does not have, with their counts.
  Result<Graph> subtract_from(const Graph& graph, const std::string& name);

  std::uint64_t runs() const { return runs_; }
  std::uint32_t nodes() const { return space_.size(); }
  std::uint32_t edges() const { return edges_.size(); }

 private:
  struct Total {
    std::uint32_t count = 0;
    std::uint32_t runs = 0;
    std::uint32_t last_graph = 0;
  };
  void note(std::vector<Total>& totals, std::uint32_t number, std::uint32_t count, std::uint32_t runs);

  NodeSpace space_;
  std::uint32_t context_size_;
  FlatIndex edges_;
  std::vector<Total> edge_totals_;
  std::vector<Total> node_totals_;
  std::vector<std::uint32_t> numbers_;
  std::uint64_t runs_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint32_t graphs_ = 0;
};

// `graph` with only these of its edges, and their nodes and sites.
Graph keep_edges(const Graph& graph, const std::vector<bool>& keep);

}  // namespace heddle::graph
