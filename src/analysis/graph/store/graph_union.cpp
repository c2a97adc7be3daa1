#include "graph/store/graph_union.h"

#include <algorithm>

namespace heddle::graph {
namespace {

const Build* find_build(const std::vector<Build>& builds, const std::string& path) {
  const auto build = std::find_if(builds.begin(), builds.end(), [&](const Build& one) { return one.path == path; });
  return build == builds.end() ? nullptr : &*build;
}

std::string collected_with(const Origin& origin) {
  std::string text = origin.model == Model::Hardware ? "--model hw" : "--granularity ";
  if (origin.model == Model::Software)
    text += origin.granule_bytes == 64 ? "line" : origin.granule_bytes == 4 ? "word4" : "word";
  if (origin.events == format::GraphEvents::Readers) text += " --events readers";
  return text;
}

}  // namespace

Status NodeSpace::admit(const Graph& graph, const std::string& name) {
  const Origin& origin = graph.origin;
  const std::uint32_t wanted =
      mask_ == 0 ? 0 : (32 - static_cast<unsigned>(__builtin_clz(mask_))) / graph_rules::kEventBits;
  if (origin.context_size < wanted) {
    return Error{name + " has contexts of " + std::to_string(origin.context_size) + " events, not " +
                 std::to_string(wanted) + "; take a smaller --context"};
  }
  if (first_name_.empty()) {
    first_name_ = name;
    origin_ = origin;
    return ok_status();
  }
  for (const Build& build : origin.builds) {
    const Build* known = find_build(origin_.builds, build.path);
    if (known != nullptr && known->id != build.id)
      return Error{name + " and " + first_name_ + " are of different builds of " + build.path + "; collect again"};
    if (known == nullptr) origin_.builds.push_back(build);
  }
  if (origin.program != origin_.program)
    return Error{name + " is a graph of " + origin.program + ", and " + first_name_ + " of " + origin_.program};
  if (collected_with(origin) != collected_with(origin_)) {
    return Error{name + " was collected with " + collected_with(origin) + ", and " + first_name_ + " with " +
                 collected_with(origin_) + "; they cannot be compared"};
  }
  return ok_status();
}

void NodeSpace::number_nodes(const Graph& graph, std::vector<std::uint32_t>& numbers) {
  site_numbers_.clear();
  for (const CodeSite& site : graph.sites) {
    const std::uint32_t number = names_.insert(site.name);
    if (number == sites_.size()) sites_.push_back(site);
    site_numbers_.push_back(number);
  }
  numbers.clear();
  for (const Node& node : graph.nodes)
    numbers.push_back(
        nodes_.insert(static_cast<std::uint64_t>(site_numbers_[node.site]) << 24 | (node.context & mask_)));
}

void GraphUnion::note(std::vector<Total>& totals, std::uint32_t number, std::uint32_t count, std::uint32_t runs) {
  if (number >= totals.size()) totals.resize(std::max<std::size_t>(number + 1, 2 * totals.size()));
  Total& total = totals[number];
  total.count += count;
  if (total.last_graph == graphs_) return;  // contexts that are equal after the cut
  total.last_graph = graphs_;
  total.runs += runs;
}

Status GraphUnion::add(const Graph& graph, const std::string& name) {
  if (Status admitted = space_.admit(graph, name); !admitted) return admitted;
  ++graphs_;
  runs_ += graph.origin.runs;
  dropped_ += graph.origin.dropped;
  space_.number_nodes(graph, numbers_);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) note(node_totals_, numbers_[i], 0, graph.nodes[i].runs);
  for_each_numbered_edge(graph, numbers_, edges_, [&](const Edge& edge, std::uint32_t number) {
    note(edge_totals_, number, edge.count, edge.runs);
  });
  return ok_status();
}

Graph GraphUnion::finish() const {
  Graph graph;
  graph.origin = space_.origin();
  graph.origin.context_size = context_size_;
  graph.origin.label = Label::None;
  graph.origin.outcome.clear();
  graph.origin.seed = 0;
  graph.origin.runs = std::max<std::uint64_t>(runs_, 1);
  graph.origin.dropped = dropped_;
  graph.sites = space_.sites();
  for (std::uint32_t node = 0; node < space_.size(); ++node)
    graph.nodes.push_back({space_.site_number_of(node), space_.context_of(node), node_totals_[node].runs});
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    const std::uint64_t key = edges_.key(i);
    graph.edges.push_back({static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key),
                           edge_totals_[i].count, edge_totals_[i].runs, 0});
  }
  normalise(graph);
  return graph;
}

Result<Graph> GraphUnion::subtract_from(const Graph& graph, const std::string& name) {
  if (Status admitted = space_.admit(graph, name); !admitted) return admitted.error();
  space_.number_nodes(graph, numbers_);
  node_totals_.resize(std::max<std::size_t>(node_totals_.size(), space_.size()));
  std::vector<bool> keep;
  for (const Edge& edge : graph.edges)
    keep.push_back(edges_.find(edge_key(numbers_[edge.source], numbers_[edge.sink])) == FlatIndex::kNone);
  return keep_edges(graph, keep);
}

Graph keep_edges(const Graph& graph, const std::vector<bool>& keep) {
  Graph kept{graph.origin, graph.sites, graph.nodes, {}};
  for (std::size_t i = 0; i < graph.edges.size(); ++i)
    if (keep[i]) kept.edges.push_back(graph.edges[i]);
  normalise(kept);
  return kept;
}

}  // namespace heddle::graph
