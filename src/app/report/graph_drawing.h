#pragma once
#include <string>

#include "graph/ranking/neighbourhood.h"

namespace heddle::report {

// "LcRd LcWr ...", the oldest first.
std::string context_text(graph::Context context);

// For Graphviz; new edges are dashed, as in the paper's figures.
std::string graph_dot(const graph::Neighbourhood& neighbourhood);
// The same as an SVG image: sources left, the code point in the middle, sinks right.
std::string graph_svg(const graph::Neighbourhood& neighbourhood);

}  // namespace heddle::report
