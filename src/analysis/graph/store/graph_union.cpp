#include "graph/store/graph_union.h"

#include <algorithm>
#include <numeric>

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
  std::vector<std::uint32_t> site_order(space_.sites().size());
  std::iota(site_order.begin(), site_order.end(), 0);
  std::sort(site_order.begin(), site_order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return space_.sites()[a].name < space_.sites()[b].name; });
  std::vector<std::uint32_t> site_place(site_order.size());
  for (std::uint32_t i = 0; i < site_order.size(); ++i) {
    site_place[site_order[i]] = i;
    graph.sites.push_back(space_.sites()[site_order[i]]);
  }
  std::vector<std::uint32_t> node_order(space_.size());
  std::iota(node_order.begin(), node_order.end(), 0);
  const auto node_key = [&](std::uint32_t node) {
    return std::pair(site_place[space_.site_number_of(node)], space_.context_of(node));
  };
  std::sort(node_order.begin(), node_order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return node_key(a) < node_key(b); });
  std::vector<std::uint32_t> node_place(node_order.size());
  for (std::uint32_t i = 0; i < node_order.size(); ++i) {
    const std::uint32_t node = node_order[i];
    node_place[node] = i;
    graph.nodes.push_back({site_place[space_.site_number_of(node)], space_.context_of(node), node_totals_[node].runs});
  }
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    const std::uint64_t key = edges_.key(i);
    graph.edges.push_back({node_place[key >> 32], node_place[static_cast<std::uint32_t>(key)], edge_totals_[i].count,
                           edge_totals_[i].runs, 0});
  }
  std::sort(graph.edges.begin(), graph.edges.end(),
            [](const Edge& a, const Edge& b) { return std::pair(a.source, a.sink) < std::pair(b.source, b.sink); });
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
  Graph kept;
  kept.origin = graph.origin;
  std::vector<std::uint32_t> node_place(graph.nodes.size(), FlatIndex::kNone);
  std::vector<std::uint32_t> site_place(graph.sites.size(), FlatIndex::kNone);
  for (std::size_t i = 0; i < graph.edges.size(); ++i)
    if (keep[i]) node_place[graph.edges[i].source] = node_place[graph.edges[i].sink] = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (node_place[i] == 0) site_place[graph.nodes[i].site] = 0;
  for (std::size_t i = 0; i < graph.sites.size(); ++i) {
    if (site_place[i] != 0) continue;
    site_place[i] = static_cast<std::uint32_t>(kept.sites.size());
    kept.sites.push_back(graph.sites[i]);
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (node_place[i] != 0) continue;
    node_place[i] = static_cast<std::uint32_t>(kept.nodes.size());
    kept.nodes.push_back({site_place[graph.nodes[i].site], graph.nodes[i].context, graph.nodes[i].runs});
  }
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const Edge& edge = graph.edges[i];
    if (keep[i])
      kept.edges.push_back({node_place[edge.source], node_place[edge.sink], edge.count, edge.runs, edge.order});
  }
  return kept;
}

}  // namespace heddle::graph
