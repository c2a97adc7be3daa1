#pragma once
// A context-aware communication graph (Bugaboo, section 3.3) of one run or of many runs.
//
// A node is a site together with its context: the last communication events of the thread that was there. An edge leads
// from the write that put a value into memory to the access that met it there. Graphs of one build can be united,
// subtracted and ranked because sites are named by a hash that does not change from run to run.
#include <cstdint>
#include <string>
#include <vector>

#include "format/graph.h"
#include "graph_rules/context.h"

namespace heddle::graph {

using graph_rules::Context;

enum class Model : std::uint8_t {
  Software = 0,  // every access (BB-SW)
  Hardware = 1,  // cache-to-cache transfers, modelled or sampled (BB-HW)
};

enum class Label : std::uint8_t { None = 0, Passing = 1, Failing = 2 };

// An instrumented module of the program.
struct Build {
  std::string path;
  std::string id;  // hex
  bool operator==(const Build&) const = default;
};

// How a graph is collected.
struct Method {
  Model model = Model::Software;
  std::uint32_t granule_bytes = 8;
  std::uint32_t context_size = graph_rules::kContextSizeDefault;
  format::GraphEvents events = format::GraphEvents::Writers;
  bool operator==(const Method&) const = default;
};

struct Origin : Method {
  std::string program;
  std::vector<Build> builds;
  Label label = Label::None;
  std::string outcome;  // a word for users
  std::uint64_t seed = 0;
  std::uint64_t runs = 1;
  std::uint64_t dropped = 0;  // edges beyond the capacity of the runtime's table
  bool operator==(const Origin&) const = default;
};

// A site, with the line of the program's own code that stands for it in rankings.
struct CodeSite {
  std::uint64_t name = 0;  // hash of the whole site name; 0: memory, the source of data that no cache had
  std::string file;
  std::uint32_t line = 0;
  std::string function;  // for users
  bool operator==(const CodeSite&) const = default;
};

struct Node {
  std::uint32_t site = 0;  // index into Graph::sites
  Context context = 0;
  std::uint32_t runs = 1;  // that have the node
  bool operator==(const Node&) const = default;
};

// The position of an edge within its run is stored in one byte: enough to distinguish early from late.
inline constexpr std::uint8_t kOrderMax = 255;

struct Edge {
  std::uint32_t source = 0;  // index into Graph::nodes
  std::uint32_t sink = 0;
  std::uint32_t count = 1;  // occurrences, at most format::kGraphCountMax per run
  std::uint32_t runs = 1;   // that have the edge
  std::uint8_t order = 0;   // first occurrence, from 0 to kOrderMax for the end of the run; 0 in a graph of many runs
  bool operator==(const Edge&) const = default;
};

// INVARIANT: sites ascend by name, nodes by (site, context), edges by (source, sink), without duplicates; every site
// has a node and every node an edge.
struct Graph {
  Origin origin;
  std::vector<CodeSite> sites;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  bool operator==(const Graph&) const = default;
};

// Establishes the invariant: sorts, unites sites of one name, nodes and edges that are equal, and removes nodes and
// sites without an edge. An edge that stands for several has the sum of their counts and the least order.
void normalise(Graph& graph);

}  // namespace heddle::graph
