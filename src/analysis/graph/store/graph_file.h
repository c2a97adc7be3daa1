#pragma once
// Graph files (docs/graph_format.md).
#include <string>
#include <string_view>

#include "graph/graph.h"
#include "support/result.h"

namespace heddle::graph {

inline constexpr std::uint32_t kGraphFileVersion = 1;
inline constexpr std::string_view kGraphMagic = "HGRAPH\r\n";
inline constexpr const char* kGraphSuffix = ".hgraph";

std::string encode_graph(const Graph& graph);
// `name` is for errors. Rejects damaged files as a whole, because part of a graph would give a wrong ranking.
Result<Graph> decode_graph(std::string_view bytes, const std::string& name);

Status write_graph(const std::string& path, const Graph& graph);
Result<Graph> read_graph(const std::string& path);
// Reads only the head of the file.
Result<Label> read_label(const std::string& path);

}  // namespace heddle::graph
