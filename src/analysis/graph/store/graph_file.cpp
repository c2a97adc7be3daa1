#include "graph/store/graph_file.h"

#include <cstring>
#include <fstream>
#include <map>

#include "base/hash.h"
#include "support/bytes.h"
#include "support/files.h"
#include "trace/file/compression.h"

namespace heddle::graph {
namespace {

constexpr int kCompressionLevel = 3;
constexpr std::uint64_t kRawSizeMax = std::uint64_t{1} << 30;

struct FileHead {
  char magic[8];
  std::uint32_t version;
  std::uint32_t label;
  std::uint64_t raw_size;
  std::uint64_t checksum;  // of label, raw_size and all bytes after this head
};
static_assert(sizeof(FileHead) == 32, "docs/graph_format.md");

std::uint64_t checksum_of(const FileHead& head, std::string_view bytes) {
  EventHash hash;
  hash.add(head.label);
  hash.add(head.raw_size);
  hash.add(bytes.size());
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    hash.add(word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, bytes.data(), bytes.size());
  hash.add(rest);
  return hash.value();
}

void put_origin(std::string& out, const Origin& origin) {
  put_string(out, origin.program);
  put_varint(out, origin.builds.size());
  for (const Build& build : origin.builds) {
    put_string(out, build.path);
    put_string(out, build.id);
  }
  out.push_back(static_cast<char>(origin.model));
  put_varint(out, origin.granule_bytes);
  put_varint(out, origin.context_size);
  put_varint(out, static_cast<std::uint32_t>(origin.events));
  out.push_back(static_cast<char>(origin.label));
  put_string(out, origin.outcome);
  put_varint(out, origin.seed);
  put_varint(out, origin.runs);
  put_varint(out, origin.dropped);
}

Origin get_origin(ByteReader& in) {
  Origin origin;
  origin.program = in.string();
  for (std::uint64_t left = in.varint(); left != 0 && in.ok(); --left) {
    Build& build = origin.builds.emplace_back();
    build.path = in.string();
    build.id = in.string();
  }
  origin.model = static_cast<Model>(in.fixed<std::uint8_t>());
  origin.granule_bytes = in.varint_as<std::uint32_t>();
  origin.context_size = in.varint_as<std::uint32_t>();
  origin.events = static_cast<format::GraphEvents>(in.varint_as<std::uint32_t>());
  origin.label = static_cast<Label>(in.fixed<std::uint8_t>());
  origin.outcome = in.string();
  origin.seed = in.varint();
  origin.runs = in.varint();
  origin.dropped = in.varint();
  return origin;
}

void put_sites(std::string& out, const std::vector<CodeSite>& sites) {
  std::map<std::string_view, std::uint64_t> numbers;  // of file and function names, which many sites share
  std::vector<std::string_view> texts;
  const auto number_of = [&](std::string_view text) {
    const auto [entry, is_new] = numbers.try_emplace(text, texts.size());
    if (is_new) texts.push_back(text);
    return entry->second;
  };
  std::string rows;
  for (const CodeSite& site : sites) {
    put_fixed(rows, site.name);
    put_varint(rows, number_of(site.file));
    put_varint(rows, site.line);
    put_varint(rows, number_of(site.function));
  }
  put_varint(out, texts.size());
  for (const std::string_view text : texts) put_string(out, text);
  put_varint(out, sites.size());
  out += rows;
}

bool get_sites(ByteReader& in, std::vector<CodeSite>& sites) {
  std::vector<std::string> texts;
  for (std::uint64_t left = in.varint(); left != 0 && in.ok(); --left) texts.push_back(in.string());
  const std::uint64_t count = in.varint();
  if (!in.ok() || count > in.left()) return false;
  sites.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    CodeSite site;
    site.name = in.fixed<std::uint64_t>();
    const std::uint64_t file = in.varint();
    site.line = in.varint_as<std::uint32_t>();
    const std::uint64_t function = in.varint();
    if (!in.ok() || file >= texts.size() || function >= texts.size()) return false;
    if (i != 0 && site.name <= sites.back().name) return false;
    site.file = texts[file];
    site.function = texts[function];
    sites.push_back(std::move(site));
  }
  return true;
}

void put_nodes(std::string& out, const Graph& graph) {
  put_varint(out, graph.nodes.size());
  std::uint32_t site = 0;
  for (const Node& node : graph.nodes) {
    put_varint(out, node.site - site);
    put_varint(out, node.context);
    if (graph.origin.runs != 1) put_varint(out, node.runs);
    site = node.site;
  }
}

bool get_nodes(ByteReader& in, Graph& graph) {
  const std::uint64_t count = in.varint();
  if (count > in.left()) return false;
  graph.nodes.reserve(count);
  std::uint64_t site = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    site += in.varint();
    const auto context = in.varint_as<Context>();
    const auto runs = graph.origin.runs != 1 ? in.varint_as<std::uint32_t>() : 1;
    if (!in.ok() || site >= graph.sites.size() || context > graph_rules::context_mask(graph.origin.context_size))
      return false;
    const Node node{static_cast<std::uint32_t>(site), context, runs};
    if (i != 0 && graph.nodes.back().site == node.site && context <= graph.nodes.back().context) return false;
    graph.nodes.push_back(node);
  }
  return true;
}

void put_edges(std::string& out, const Graph& graph) {
  put_varint(out, graph.edges.size());
  std::uint32_t source = 0;
  for (const Edge& edge : graph.edges) {
    put_varint(out, edge.source - source);
    put_varint(out, edge.sink);
    put_varint(out, edge.count);
    if (graph.origin.runs == 1)
      out.push_back(static_cast<char>(edge.order));
    else
      put_varint(out, edge.runs);
    source = edge.source;
  }
}

bool get_edges(ByteReader& in, Graph& graph) {
  const std::uint64_t count = in.varint();
  if (count > in.left()) return false;
  graph.edges.reserve(count);
  std::uint64_t source = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t step = in.varint();
    source += step;
    const std::uint64_t sink = in.varint();
    const auto times = in.varint_as<std::uint32_t>();
    const std::uint8_t order = graph.origin.runs == 1 ? in.fixed<std::uint8_t>() : 0;
    const auto runs = graph.origin.runs == 1 ? 1 : in.varint_as<std::uint32_t>();
    if (!in.ok() || source >= graph.nodes.size() || sink >= graph.nodes.size()) return false;
    if (i != 0 && step == 0 && sink <= graph.edges.back().sink) return false;
    graph.edges.push_back({static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(sink), times, runs, order});
  }
  return in.at_end();
}

Error not_a_graph(const std::string& name) {
  return Error{name + " is not a graph; heddle graph collect makes graphs"};
}

bool plausible(const Origin& origin) {
  return origin.model <= Model::Hardware && origin.label <= Label::Failing && origin.runs != 0 &&
         origin.context_size <= graph_rules::kContextSizeMax;
}

}  // namespace

std::string encode_graph(const Graph& graph) {
  std::string raw;
  put_origin(raw, graph.origin);
  put_sites(raw, graph.sites);
  put_nodes(raw, graph);
  put_edges(raw, graph);
  std::string bytes(sizeof(FileHead), '\0');
  trace::Compressor(kCompressionLevel, trace::Compressor::Checksum::No).compress(raw, bytes);
  FileHead head{};
  std::memcpy(head.magic, kGraphMagic.data(), sizeof head.magic);
  head.version = kGraphFileVersion;
  head.raw_size = raw.size();
  head.label = static_cast<std::uint32_t>(graph.origin.label);
  head.checksum = checksum_of(head, std::string_view(bytes).substr(sizeof head));
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

Result<Graph> decode_graph(std::string_view bytes, const std::string& name) {
  const Error damaged{name + " is damaged or cut short; collect it again"};
  if (!bytes.starts_with(kGraphMagic)) return not_a_graph(name);
  if (bytes.size() < sizeof(FileHead)) return damaged;
  FileHead head;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.version != kGraphFileVersion) {
    return Error{name + " is a graph of version " + std::to_string(head.version) + ", and this heddle reads version " +
                 std::to_string(kGraphFileVersion) + "; collect it again"};
  }
  const std::string_view frame = bytes.substr(sizeof head);
  std::string raw;
  if (head.raw_size > kRawSizeMax || checksum_of(head, frame) != head.checksum ||
      !trace::Decompressor().decompress(frame, head.raw_size, raw)) {
    return damaged;
  }
  ByteReader in(raw);
  Graph graph;
  graph.origin = get_origin(in);
  if (!in.ok() || !plausible(graph.origin)) return damaged;
  if (!get_sites(in, graph.sites) || !get_nodes(in, graph) || !get_edges(in, graph)) return damaged;
  return graph;
}

Result<Label> read_label(const std::string& path) {
  if (Status readable = check_readable_file(path); !readable) return readable.error();
  FileHead head{};
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(&head), sizeof head);
  if (std::string_view(head.magic, sizeof head.magic) != kGraphMagic) return not_a_graph(path);
  return head.label > static_cast<std::uint32_t>(Label::Failing) ? Label::None : static_cast<Label>(head.label);
}

Status write_graph(const std::string& path, const Graph& graph) { return write_file(path, encode_graph(graph)); }

Result<Graph> read_graph(const std::string& path) {
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  return decode_graph(*bytes, path);
}

}  // namespace heddle::graph
