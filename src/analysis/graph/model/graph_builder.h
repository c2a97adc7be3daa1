#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "binary/sections/site_table.h"
#include "binary/symbolizer.h"
#include "graph/graph.h"
#include "trace/tables.h"

namespace heddle::graph {

// An edge by the numbers of one run: ends as in graph_rules/edge_table.h. Site 0 is memory.
struct RunEdge {
  std::uint64_t source = 0;
  std::uint64_t sink = 0;
  std::uint64_t count = 0;
  std::uint32_t order = 0;  // edges that there were before it
  bool operator==(const RunEdge&) const = default;
};

// Edges of a run that a model makes, each once.
class RunEdges {
 public:
  void add(std::uint64_t source, std::uint64_t sink);
  const std::vector<RunEdge>& all() const { return edges_; }

 private:
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, std::size_t>> places_;  // by source and sink
  std::vector<RunEdge> edges_;
};

// What is complete in the session's table.
std::vector<RunEdge> read_edges(std::span<const format::GraphSlot> slots);

// A graph from edges between sites by number, in any order, also repeated. Edges whose site is unknown are left out.
using FindSite = std::function<const CodeSite*(std::uint32_t site)>;
Graph build_graph(Origin origin, std::span<const RunEdge> edges, const FindSite& find);

// From a run's sites to code points: what was inlined from the system's headers counts as the program's line that it
// was inlined into.
class CodeSites {
 public:
  explicit CodeSites(const format::SessionResult& result);
  explicit CodeSites(const trace::TraceTables& tables);
  // Of instructions instead of sites: number n is the n-th of them, from 1.
  CodeSites(const format::SessionResult& result, std::span<const std::uint64_t> instructions);
  const CodeSite* find(std::uint32_t site) const { return site < sites_.size() ? &sites_[site] : nullptr; }
  const std::vector<Build>& builds() const { return builds_; }
  const std::vector<CodeSite>& all() const { return sites_; }

 private:
  void add(const std::vector<std::pair<std::uint32_t, binary::Site>>& sites);
  void add_builds(const format::SessionResult& result);

  std::vector<CodeSite> sites_;  // by SiteId; the first is memory
  std::vector<Build> builds_;
};

// Places that operate on primitives. Debug information spells paths out; here a file is called as the program's
// accesses call it, so that a line is one code point whatever happens there.
class CallSites {
 public:
  CallSites(const CodeSites& accesses, const trace::TraceTables& tables);
  // Of a run that has left its rows in the session, complete or not.
  CallSites(const CodeSites& accesses, binary::Symbolizer& symbolizer, const format::SessionResult& result,
            std::span<const format::GraphCallSite> rows);
  const CodeSite* find(std::uint32_t site) const;

 private:
  std::unordered_map<std::uint32_t, CodeSite> sites_;
};

// Of either kind.
const CodeSite* find_site(const CodeSites& sites, const CallSites& calls, std::uint32_t site);

}  // namespace heddle::graph
