#include "slice/dependence_graph.h"

namespace heddle::slice {

DependenceGraph::DependenceGraph() {
  nodes_.push_back({});  // kNoNode
  ends_.push_back(0);
}

NodeId DependenceGraph::add(const Node& node, const Dependences& dependences) {
  const NodeId id = next();
  for (const NodeId on : dependences.nodes()) dependences_.push_back(on);
  nodes_.push_back({node.site, node.thread << 8 | static_cast<std::uint32_t>(node.kind)});
  ends_.push_back(static_cast<std::uint32_t>(dependences_.size()));
  return id;
}

std::vector<NodeId> DependenceGraph::dependences_of(NodeId id) const {
  std::vector<NodeId> result;
  for (std::size_t i = ends_[id - 1]; i < ends_[id]; ++i) result.push_back(dependences_[i]);
  return result;
}

std::vector<bool> DependenceGraph::reached_from(std::span<const NodeId> criteria) const {
  std::vector<bool> reached(next());
  for (const NodeId node : criteria) reached[node] = true;
  reached[kNoNode] = false;
  // Nobody depends on what comes later, so one pass from the end is enough.
  for (NodeId node = next(); node-- > 1;) {
    if (!reached[node]) continue;
    for (std::size_t i = ends_[node - 1]; i < ends_[node]; ++i) reached[dependences_[i]] = true;
  }
  return reached;
}

}  // namespace heddle::slice
