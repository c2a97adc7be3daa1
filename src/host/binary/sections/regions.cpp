#include "binary/sections/regions.h"

#include <algorithm>
#include <set>

namespace heddle::binary {
namespace {

constexpr std::uint32_t kOutside = ~std::uint32_t{0};

}  // namespace

bool Regions::contains(std::int32_t region, std::uint32_t block) const {
  if (region == kNoLoop) return true;
  std::int32_t loop = function_.blocks[block].loop;
  while (loop != kNoLoop && loop != region) loop = function_.loops[static_cast<std::size_t>(loop)].parent;
  return loop == region;
}

Regions::Graph& Regions::graph(std::int32_t region) {
  const auto found = graphs_.find(region);
  return found != graphs_.end() ? found->second : graphs_.emplace(region, build(region)).first->second;
}

Regions::Graph Regions::build(std::int32_t region) const {
  const auto blocks = static_cast<std::uint32_t>(function_.blocks.size());
  Graph graph;
  graph.node_of_block.assign(blocks, kOutside);
  std::map<std::int32_t, std::uint32_t> node_of_loop;
  std::uint32_t nodes = 0;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    if (!contains(region, block)) continue;
    std::int32_t loop = function_.blocks[block].loop;
    if (loop == region) {
      graph.node_of_block[block] = nodes++;
      continue;
    }
    while (function_.loops[static_cast<std::size_t>(loop)].parent != region)
      loop = function_.loops[static_cast<std::size_t>(loop)].parent;
    const auto [at, added] = node_of_loop.emplace(loop, nodes);
    if (added) ++nodes;
    graph.node_of_block[block] = at->second;
  }

  struct Edge {
    std::uint32_t from, to;
    Branch branch;
  };
  std::vector<Edge> edges;
  const std::uint32_t exit = nodes++;
  const std::uint32_t header = region == kNoLoop ? kOutside : function_.loops[static_cast<std::size_t>(region)].header;
  graph.successors.resize(nodes);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::uint32_t from = graph.node_of_block[block];
    if (from == kOutside) continue;
    const std::vector<std::uint32_t>& successors = function_.blocks[block].successors;
    for (std::uint32_t i = 0; i < successors.size(); ++i) {
      const std::uint32_t target = successors[i];
      const bool leaves = graph.node_of_block[target] == kOutside || target == header;
      const std::uint32_t to = leaves ? exit : graph.node_of_block[target];
      if (from == to) continue;
      edges.push_back({from, to, {block, i}});
      graph.successors[from].push_back(to);
    }
  }
  // A block without successors ends the region like a return, because a failed assertion may be the failure.
  BlockGraph inside(exit);
  std::vector<bool> leaves(exit, false);
  for (std::uint32_t node = 0; node < exit; ++node) {
    if (graph.successors[node].empty()) graph.successors[node].push_back(exit);
    for (const std::uint32_t next : graph.successors[node]) {
      if (next == exit)
        leaves[node] = true;
      else
        inside[node].push_back(next);
    }
  }
  const std::vector<std::uint32_t> dominator = joins_of(inside, leaves);
  graph.dependences.resize(nodes);
  for (const Edge& edge : edges) {
    const std::uint32_t stop = dominator[edge.from];
    for (std::uint32_t node = edge.to; node != stop && node != exit; node = dominator[node]) {
      std::vector<Branch>& found = graph.dependences[node];
      if (std::find(found.begin(), found.end(), edge.branch) == found.end()) found.push_back(edge.branch);
    }
  }
  return graph;
}

const std::vector<Branch>& Regions::dependences(std::int32_t region, std::uint32_t block) {
  Graph& in = graph(region);
  return in.dependences[in.node_of_block[block]];
}

bool Regions::reaches(std::int32_t region, std::uint32_t from, std::uint32_t to) {
  Graph& in = graph(region);
  const std::uint32_t begin = in.node_of_block[from], end = in.node_of_block[to];
  if (begin == kOutside || end == kOutside) return false;
  const auto [at, added] = in.reached.try_emplace(begin);
  if (added) at->second = reachable_from(in.successors, begin);
  return at->second[end];
}

Parent find_parent(Regions& regions, std::int32_t region, std::uint32_t block) {
  const std::vector<Branch>& direct = regions.dependences(region, block);
  if (direct.empty()) return {};
  std::set<std::uint32_t> predicates;
  for (const Branch& branch : direct) predicates.insert(branch.block);
  if (predicates.size() == 1) return {Nesting::Single, direct, *predicates.begin()};

  // a || b: other predicates of the set decide all but one of them.
  std::vector<std::uint32_t> roots;
  for (const std::uint32_t predicate : predicates) {
    const std::vector<Branch>& above = regions.dependences(region, predicate);
    const bool inside = !above.empty() && std::all_of(above.begin(), above.end(), [&](const Branch& branch) {
      return predicates.contains(branch.block);
    });
    if (!inside) roots.push_back(predicate);
  }
  if (roots.size() == 1) return {Nesting::Aggregated, direct, roots.front()};

  // Collects the ancestors of each branch, nearest first, and takes the first common one.
  std::vector<std::vector<Branch>> ancestors;
  for (const Branch& branch : direct) {
    std::vector<Branch> found = {branch};
    for (std::size_t at = 0; at < found.size(); ++at)
      for (const Branch& above : regions.dependences(region, found[at].block))
        if (std::find(found.begin(), found.end(), above) == found.end()) found.push_back(above);
    ancestors.push_back(std::move(found));
  }
  for (const Branch& candidate : ancestors.front()) {
    const bool common = std::all_of(ancestors.begin(), ancestors.end(), [&](const std::vector<Branch>& found) {
      return std::find(found.begin(), found.end(), candidate) != found.end();
    });
    if (common) return {Nesting::Ancestor, {candidate}, candidate.block};
  }
  return {};
}

}  // namespace heddle::binary
