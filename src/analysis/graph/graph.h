#pragma once
// A context-aware communication graph (Bugaboo, section 3.3), of one run or of many.
#include <cstdint>
#include <string>
#include <vector>

#include "format/graph.h"
#include "graph_rules/context.h"

namespace heddle::graph {

using graph_rules::Context;

enum class Model : std::uint8_t {
  Software = 0,  // every access (BB-SW)
  Hardware = 1,  // cache-to-cache transfers of a simulated machine (BB-HW)
};

enum class Label : std::uint8_t { None = 0, Passing = 1, Failing = 2 };

// An instrumented module that the program was made of.
struct Build {
  std::string path;
  std::string id;  // hex
  bool operator==(const Build&) const = default;
};

struct Origin {
  std::string program;
  std::vector<Build> builds;
  Model model = Model::Software;
  std::uint32_t granule_bytes = 8;
  std::uint32_t context_size = graph_rules::kContextSizeDefault;
  format::GraphEvents events = format::GraphEvents::Writers;
  Label label = Label::None;
  std::string outcome;  // for people
  std::uint64_t seed = 0;
  std::uint64_t runs = 1;
  std::uint64_t dropped = 0;  // edges that there was no room for
  bool operator==(const Origin&) const = default;
};

// A site, with the line of the program's own code that stands for it in rankings.
struct CodeSite {
  std::uint64_t name = 0;  // hash of its whole name; 0: memory, the source of what no cache had
  std::string file;
  std::uint32_t line = 0;
  std::string function;  // for people
  bool operator==(const CodeSite&) const = default;
};

struct Node {
  std::uint32_t site = 0;  // index into Graph::sites
  Context context = 0;
  std::uint32_t runs = 1;  // that have it
  bool operator==(const Node&) const = default;
};

// The order of edges is kept in as many steps: enough to tell early from late, at a byte each.
inline constexpr std::uint8_t kOrderMax = 255;

struct Edge {
  std::uint32_t source = 0;  // index into Graph::nodes
  std::uint32_t sink = 0;
  std::uint32_t count = 1;  // how often; format::kGraphCountMax a run at most
  std::uint32_t runs = 1;   // that have it
  std::uint8_t order = 0;   // how much of its run was before it, kOrderMax being all; 0 in a graph of many runs
  bool operator==(const Edge&) const = default;
};

// INVARIANT: sites ascend by name, nodes by (site, context), edges by (source, sink), none twice; every site has a node
// and every node an edge.
struct Graph {
  Origin origin;
  std::vector<CodeSite> sites;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  bool operator==(const Graph&) const = default;
};

}  // namespace heddle::graph
