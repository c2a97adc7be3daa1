#include "binary/sections/post_dominators.h"

namespace heddle::binary {
namespace {

BlockGraph reversed(const BlockGraph& graph) {
  BlockGraph result(graph.size());
  for (std::uint32_t from = 0; from < graph.size(); ++from)
    for (const std::uint32_t to : graph[from]) result[to].push_back(from);
  return result;
}

std::vector<std::uint32_t> postorder_from(const BlockGraph& graph, std::uint32_t start) {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(graph.size());
  std::vector<std::pair<std::uint32_t, std::size_t>> path = {{start, 0}};
  seen[start] = true;
  while (!path.empty()) {
    auto& [at, next] = path.back();
    if (next == graph[at].size()) {
      order.push_back(at);
      path.pop_back();
      continue;
    }
    const std::uint32_t to = graph[at][next++];
    if (seen[to]) continue;
    seen[to] = true;
    path.emplace_back(to, 0);
  }
  return order;
}

}  // namespace

std::vector<bool> reachable_from(const BlockGraph& graph, std::uint32_t start) {
  std::vector<bool> seen(graph.size());
  std::vector<std::uint32_t> work = {start};
  seen[start] = true;
  while (!work.empty()) {
    const std::uint32_t at = work.back();
    work.pop_back();
    for (const std::uint32_t next : graph[at]) {
      if (seen[next]) continue;
      seen[next] = true;
      work.push_back(next);
    }
  }
  return seen;
}

// K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", on the reversed graph.
std::vector<std::uint32_t> joins_of(const BlockGraph& successors, const std::vector<bool>& returns) {
  const auto exit = static_cast<std::uint32_t>(successors.size());
  BlockGraph forward = successors;
  forward.emplace_back();
  for (std::uint32_t block = 0; block < exit; ++block)
    if (returns[block]) forward[block].push_back(exit);
  BlockGraph backward = reversed(forward);
  // Ignores edges into blocks that never reach a return.
  const std::vector<bool> may_return = reachable_from(backward, exit);
  for (std::uint32_t block = 0; block < exit; ++block)
    std::erase_if(forward[block], [&](std::uint32_t next) { return !may_return[next]; });
  backward = reversed(forward);

  const std::vector<std::uint32_t> postorder = postorder_from(backward, exit);
  constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  std::vector<std::uint32_t> rank(exit + 1, kUnknown), join(exit + 1, kUnknown);
  for (std::uint32_t i = 0; i < postorder.size(); ++i) rank[postorder[i]] = i;
  join[exit] = exit;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = postorder.size(); i-- > 0;) {
      const std::uint32_t block = postorder[i];
      if (block == exit) continue;
      std::uint32_t meet = kUnknown;
      for (std::uint32_t next : forward[block]) {
        if (join[next] == kUnknown) continue;
        while (meet != kUnknown && meet != next) {
          while (meet != next && rank[meet] < rank[next]) meet = join[meet];
          while (meet != next && rank[next] < rank[meet]) next = join[next];
        }
        meet = next;
      }
      if (meet == join[block]) continue;
      join[block] = meet;
      changed = true;
    }
  }
  for (std::uint32_t& block : join)
    if (block == kUnknown) block = exit;
  join.pop_back();
  return join;
}

}  // namespace heddle::binary
