#include "graph/ranking/neighbourhood.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace heddle::graph {
namespace {

using NamedEnd = std::pair<std::uint64_t, Context>;

NamedEnd name_of(const Graph& graph, std::uint32_t node) {
  return {graph.sites[graph.nodes[node].site].name, graph.nodes[node].context};
}

bool is_at(const CodeSite& site, const std::string& file, std::uint32_t line) {
  return site.line == line && site.file.ends_with(file) &&
         (site.file.size() == file.size() || site.file[site.file.size() - file.size() - 1] == '/');
}

Error no_such_line(const Graph& graph, const std::string& file, std::uint32_t line) {
  std::set<std::uint32_t> lines;
  for (const CodeSite& site : graph.sites)
    if (is_at(site, file, site.line)) lines.insert(site.line);
  std::string message = file + ":" + std::to_string(line) + " does not communicate in this graph";
  if (!lines.empty()) {
    const auto above = lines.lower_bound(line);
    const std::uint32_t nearest = above == lines.end() ? *lines.rbegin() : *above;
    message += "; the nearest line that does is " + std::to_string(nearest);
  } else {
    message += ", nor does any line of that file; heddle graph rank lists those that do";
  }
  return Error{message};
}

}  // namespace

Result<Neighbourhood> find_neighbourhood(const Graph& graph, const std::string& file, std::uint32_t line,
                                         const Graph* difference, std::size_t links_max) {
  std::set<std::pair<NamedEnd, NamedEnd>> new_edges;
  if (difference != nullptr)
    for (const Edge& edge : difference->edges)
      new_edges.emplace(name_of(*difference, edge.source), name_of(*difference, edge.sink));
  struct Found {
    const Edge* edge;
    bool is_new;
  };
  std::vector<Found> found;
  const auto is_centre = [&](std::uint32_t node) { return is_at(graph.sites[graph.nodes[node].site], file, line); };
  for (const Edge& edge : graph.edges) {
    if (!is_centre(edge.source) && !is_centre(edge.sink)) continue;
    found.push_back({&edge, new_edges.contains({name_of(graph, edge.source), name_of(graph, edge.sink)})});
  }
  if (found.empty()) return no_such_line(graph, file, line);
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tuple(!a.is_new, b.edge->count, a.edge) < std::tuple(!b.is_new, a.edge->count, b.edge);
  });
  Neighbourhood made;
  made.links_left_out = found.size() - std::min(found.size(), links_max);
  found.resize(std::min(found.size(), links_max));
  std::map<std::uint32_t, std::uint32_t> members;  // by node
  const auto member_of = [&](std::uint32_t node, Neighbourhood::Role role) {
    const auto [entry, is_new] = members.try_emplace(node, static_cast<std::uint32_t>(made.members.size()));
    if (is_new)
      made.members.push_back({graph.sites[graph.nodes[node].site], graph.nodes[node].context,
                              is_centre(node) ? Neighbourhood::Role::Centre : role});
    return entry->second;
  };
  for (const Found& each : found) {
    const std::uint32_t from = member_of(each.edge->source, Neighbourhood::Role::Source);
    const std::uint32_t to = member_of(each.edge->sink, Neighbourhood::Role::Sink);
    made.links.push_back({from, to, each.edge->count, each.edge->runs, each.is_new});
  }
  return made;
}

}  // namespace heddle::graph
