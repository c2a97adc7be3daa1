#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "graph/heuristics.h"
#include "graph/store/graph_union.h"

namespace heddle::graph {

// The nodes that communicate with one code point.
struct Neighbourhood {
  enum class Role : std::uint8_t { Source, Centre, Sink };
  struct Member {
    CodeSite site;
    Context context = 0;
    Role role = Role::Centre;  // in the first of the links
  };
  struct Link {
    std::uint32_t from = 0, to = 0;  // indices into members
    std::uint32_t count = 0;
    std::uint32_t runs = 0;
    bool is_new = false;  // part of the difference
  };
  std::vector<Member> members;
  std::vector<Link> links;
  std::uint64_t links_left_out = 0;
};

// At most `links_max` edges from and to the line, new edges first. `file` is a suffix of a path. `difference`: the new
// part of the graph; may be null. Fails if the line does not communicate; the error names the nearest line that does.
Result<Neighbourhood> find_neighbourhood(const Graph& graph, const std::string& file, std::uint32_t line,
                                         const Graph* difference, std::size_t links_max = kLinksDefault);

}  // namespace heddle::graph
