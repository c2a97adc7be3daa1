#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "graph/heuristics.h"
#include "graph/store/graph_union.h"

namespace heddle::graph {

// What communicates with one code point.
struct Neighbourhood {
  enum class Role : std::uint8_t { Source, Centre, Sink };
  struct Member {
    CodeSite site;
    Context context = 0;
    Role role = Role::Centre;  // of the first edge that it was met at
  };
  struct Link {
    std::uint32_t from = 0, to = 0;  // indices into members
    std::uint32_t count = 0;
    std::uint32_t runs = 0;
    bool is_new = false;  // not in the graphs that it is held against
  };
  std::vector<Member> members;
  std::vector<Link> links;
  std::uint64_t links_left_out = 0;
};

// The edges from and to the line, those that are new first, `links_max` at most. `file` is the end of a path.
// `difference`: what of the graph is new; nullptr: nothing. Fails when no such line communicates, and names some that
// do.
Result<Neighbourhood> find_neighbourhood(const Graph& graph, const std::string& file, std::uint32_t line,
                                         const Graph* difference, std::size_t links_max = kLinksDefault);

}  // namespace heddle::graph
