#include "graph/graph.h"

#include <algorithm>
#include <tuple>

namespace heddle::graph {
namespace {

// Keeps the used items, sorted and one per key. Returns the new index of each used item.
template <typename Item, typename Key>
std::vector<std::uint32_t> compact(std::vector<Item>& items, const std::vector<bool>& used, Key key) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < items.size(); ++i)
    if (used[i]) order.push_back(i);
  const auto rank = [&](std::uint32_t i) { return std::pair(key(items[i]), i); };
  if (!std::ranges::is_sorted(order, {}, rank)) std::ranges::sort(order, {}, rank);
  std::vector<std::uint32_t> places(items.size());
  std::vector<Item> kept;
  for (const std::uint32_t i : order) {
    if (kept.empty() || key(kept.back()) != key(items[i])) kept.push_back(items[i]);
    places[i] = static_cast<std::uint32_t>(kept.size() - 1);
  }
  items = std::move(kept);
  return places;
}

}  // namespace

void normalise(Graph& graph) {
  std::vector<bool> used_nodes(graph.nodes.size()), used_sites(graph.sites.size());
  for (const Edge& edge : graph.edges) used_nodes[edge.source] = used_nodes[edge.sink] = true;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (used_nodes[i]) used_sites[graph.nodes[i].site] = true;
  const auto sites = compact(graph.sites, used_sites, [](const CodeSite& site) { return site.name; });
  for (Node& node : graph.nodes) node.site = sites[node.site];
  const auto nodes =
      compact(graph.nodes, used_nodes, [](const Node& node) { return std::pair(node.site, node.context); });
  for (Edge& edge : graph.edges) {
    edge.source = nodes[edge.source];
    edge.sink = nodes[edge.sink];
  }
  const auto before = [](const Edge& a, const Edge& b) {
    return std::tie(a.source, a.sink, a.order) < std::tie(b.source, b.sink, b.order);
  };
  if (!std::ranges::is_sorted(graph.edges, before)) std::ranges::sort(graph.edges, before);
  std::size_t kept = 0;
  for (const Edge& edge : graph.edges) {
    if (kept != 0 && graph.edges[kept - 1].source == edge.source && graph.edges[kept - 1].sink == edge.sink)
      graph.edges[kept - 1].count += edge.count;
    else
      graph.edges[kept++] = edge;
  }
  graph.edges.resize(kept);
}

}  // namespace heddle::graph
