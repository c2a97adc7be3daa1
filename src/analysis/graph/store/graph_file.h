#pragma once
// Graphs on disk, as docs/graph_format.md has them.
#include <string>
#include <string_view>

#include "graph/graph.h"
#include "support/result.h"

namespace heddle::graph {

inline constexpr std::uint32_t kGraphFileVersion = 1;
inline constexpr std::string_view kGraphMagic = "HGRAPH\r\n";
inline constexpr const char* kGraphSuffix = ".hgraph";

std::string encode_graph(const Graph& graph);
// `name` is said in errors. What is damaged is refused as a whole: half a graph would rank wrong.
Result<Graph> decode_graph(std::string_view bytes, const std::string& name);

Status write_graph(const std::string& path, const Graph& graph);
Result<Graph> read_graph(const std::string& path);
// The label alone, without reading the rest.
Result<Label> read_label(const std::string& path);

}  // namespace heddle::graph
