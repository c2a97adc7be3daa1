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

// An edge in the numbers of one run. Its ends are encoded as in graph_rules/edge_table.h; site 0 is memory.
struct RunEdge {
  std::uint64_t source = 0;
  std::uint64_t sink = 0;
  std::uint64_t count = 0;
  std::uint32_t order = 0;  // edges that existed before its first occurrence
  bool operator==(const RunEdge&) const = default;
};

// Collects the edges that a model finds in one run, without duplicates.
class RunEdges {
 public:
  void add(std::uint64_t source, std::uint64_t sink);
  const std::vector<RunEdge>& all() const { return edges_; }

 private:
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, std::size_t>> places_;  // by source and sink
  std::vector<RunEdge> edges_;
};

// The complete slots of the session's table.
std::vector<RunEdge> read_edges(std::span<const format::GraphSlot> slots);

// Names the sites of the edges, which may be in any order and repeated. Skips edges with an unknown site.
using FindSite = std::function<const CodeSite*(std::uint32_t site)>;
Graph build_graph(Origin origin, std::span<const RunEdge> edges, const FindSite& find);

// The code points of a run's access sites. A site inlined from a system header counts as the program's line into which
// it was inlined.
class CodeSites {
 public:
  explicit CodeSites(const format::SessionResult& result);
  explicit CodeSites(const trace::TraceTables& tables);
  // The sites are instructions: site n is the n-th one, from 1.
  CodeSites(const format::SessionResult& result, std::span<const std::uint64_t> instructions);
  const CodeSite* find(std::uint32_t site) const { return site < sites_.size() ? &sites_[site] : nullptr; }
  const std::vector<Build>& builds() const { return builds_; }
  const std::vector<CodeSite>& all() const { return sites_; }

 private:
  void add(const std::vector<std::pair<std::uint32_t, binary::Site>>& sites);
  void add_builds(const format::SessionResult& result);

  std::vector<CodeSite> sites_;  // by site number; the first is memory
  std::vector<Build> builds_;
};

// The code points of calls that operate on primitives. Debug information has absolute paths; this uses the file names
// of the access sites instead, so that all sites of a line are one code point.
class CallSites {
 public:
  CallSites(const CodeSites& accesses, const trace::TraceTables& tables);
  // Skips rows that the program has not completed.
  CallSites(const CodeSites& accesses, binary::Symbolizer& symbolizer, const format::SessionResult& result,
            std::span<const format::GraphCallSite> rows);
  const CodeSite* find(std::uint32_t site) const;

 private:
  std::unordered_map<std::uint32_t, CodeSite> sites_;
};

}  // namespace heddle::graph
