#include "graph/model/graph_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "binary/sections/site_names.h"
#include "binary/symbolizer.h"
#include "clip/module_identity.h"
#include "graph_rules/edge_table.h"
#include "run/record/call_sites.h"

namespace heddle::graph {
namespace {

using graph_rules::end_context;
using graph_rules::end_site;

bool is_system_file(std::string_view path) { return path.starts_with("/usr/"); }

struct SourceLine {
  std::string file;
  std::uint32_t line = 0;
};

// The innermost caller in "file:line<file:line..." that is the program's own code.
bool find_own_caller(std::string_view chain, SourceLine& place) {
  while (!chain.empty()) {
    const std::size_t end = std::min(chain.find('<'), chain.size());
    const std::string_view frame = chain.substr(0, end);
    chain.remove_prefix(std::min(end + 1, chain.size()));
    const std::size_t colon = frame.rfind(':');
    if (colon == std::string_view::npos || is_system_file(frame)) continue;
    place.file = frame.substr(0, colon);
    std::from_chars(frame.data() + colon + 1, frame.data() + frame.size(), place.line);
    return true;
  }
  return false;
}

// Finds the function of a line by the first lines of the functions that have sites.
class FunctionLines {
 public:
  void add(const binary::Site& site) { functions_[site.file].try_emplace(site.function_line, site.function); }
  std::string find(const SourceLine& place) const {
    const auto file = functions_.find(place.file);
    if (file == functions_.end()) return "";
    auto function = file->second.upper_bound(place.line);
    return function == file->second.begin() ? "" : binary::demangle(std::prev(function)->second);
  }

 private:
  std::map<std::string, std::map<std::uint32_t, std::string>> functions_;
};

CodeSite code_site_of(const binary::Site& site, const FunctionLines& functions) {
  SourceLine place;
  if (is_system_file(site.file) && find_own_caller(site.chain, place))
    return {site.name_hash, place.file, place.line, functions.find(place)};
  // Code without a line stands for its whole function.
  return {site.name_hash, site.file, site.line != 0 ? site.line : site.function_line, binary::demangle(site.function)};
}

class FileNames {
 public:
  explicit FileNames(const CodeSites& accesses) {
    for (const CodeSite& site : accesses.all()) names_.insert(site.file);
  }
  // The longest known name that is a suffix of the path; the path itself if there is none.
  std::string find(const std::string& path) const {
    for (std::size_t begin = 0;;) {
      const std::string name = path.substr(begin);
      if (names_.contains(name)) return name;
      const std::size_t slash = name.find('/');
      if (slash == std::string::npos) return path;
      begin += slash + 1;
    }
  }

 private:
  std::set<std::string> names_;
};

}  // namespace

CodeSites::CodeSites(const format::SessionResult& result) : sites_(1) {
  binary::SiteTable table(result);
  std::vector<std::pair<std::uint32_t, binary::Site>> sites;
  table.for_each([&](std::uint32_t id, const binary::Site& site) { sites.emplace_back(id, site); });
  add(sites);
  add_builds(result);
}

CodeSites::CodeSites(const format::SessionResult& result, std::span<const std::uint64_t> instructions) : sites_(1) {
  binary::Symbolizer symbolizer;
  for (const std::uint64_t& instruction : instructions) {
    CodeSite& site = sites_.emplace_back();
    for (const binary::SourceFrame& frame : symbolizer.symbolize(result, &instruction, 1, true)) {
      if (frame.file.empty()) continue;
      site = {binary::hash_of_site_name(fmt::format("{}:{}:{}", frame.file, frame.line, frame.linkage_name)),
              frame.file, frame.line, frame.function};
      if (!is_system_file(frame.file)) break;
    }
  }
  add_builds(result);
}

void CodeSites::add_builds(const format::SessionResult& result) {
  for (const clip::ModuleIdentity& module : clip::module_identities(result))
    if (module.instrumented) builds_.push_back({module.path, module.build_id});
}

CodeSites::CodeSites(const trace::TraceTables& tables) : sites_(1) {
  std::vector<std::pair<std::uint32_t, binary::Site>> sites;
  for (const auto& [id, row] : tables.sites) {
    binary::Site site;
    site.name_hash = binary::hash_of_site_name(row.name);
    site.file = row.file;
    site.line = row.line;
    site.function = row.function;
    site.function_line = row.function_line;
    site.chain = row.chain;
    sites.emplace_back(number(id), std::move(site));
  }
  add(sites);
  for (const trace::TraceModule& module : tables.modules)
    if (module.first_site != 0) builds_.push_back({module.path, module.build_id});
}

void CodeSites::add(const std::vector<std::pair<std::uint32_t, binary::Site>>& sites) {
  FunctionLines functions;
  for (const auto& [id, site] : sites) functions.add(site);
  for (const auto& [id, site] : sites) {
    if (id >= format::kFirstCallSite) continue;  // CallSites
    if (sites_.size() <= id) sites_.resize(id + 1);
    sites_[id] = code_site_of(site, functions);
  }
}

CallSites::CallSites(const CodeSites& accesses, const trace::TraceTables& tables) {
  const FileNames names(accesses);
  for (const auto& [id, row] : tables.sites)
    if (number(id) >= format::kFirstCallSite)
      sites_[number(id)] = {binary::hash_of_site_name(row.name), names.find(row.file), row.line,
                            binary::demangle(row.function)};
}

CallSites::CallSites(const CodeSites& accesses, binary::Symbolizer& symbolizer, const format::SessionResult& result,
                     std::span<const format::GraphCallSite> rows) {
  const FileNames names(accesses);
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t count =
        std::min<std::uint64_t>(rows[i].count.load(std::memory_order_acquire), format::kCallFramesMax);
    if (count == 0) continue;
    const std::vector<std::uint64_t> pcs(rows[i].pcs, rows[i].pcs + count);
    if (const std::optional<binary::Site> site = run::describe_call_site(symbolizer, binary::modules_of(result), pcs))
      sites_[format::kFirstCallSite + i] = {site->name_hash, names.find(site->file), site->line,
                                            binary::demangle(site->function)};
  }
}

const CodeSite* CallSites::find(std::uint32_t site) const {
  const auto found = sites_.find(site);
  return found == sites_.end() ? nullptr : &found->second;
}

void RunEdges::add(std::uint64_t source, std::uint64_t sink) {
  const auto [entry, is_new] = places_[source].try_emplace(sink, edges_.size());
  if (is_new) edges_.push_back({source, sink, 0, static_cast<std::uint32_t>(edges_.size())});
  RunEdge& edge = edges_[entry->second];
  edge.count = std::min(edge.count + 1, format::kGraphCountMax);
}

std::vector<RunEdge> read_edges(std::span<const format::GraphSlot> slots) {
  std::vector<RunEdge> edges;
  for (const format::GraphSlot& slot : slots) {
    const std::uint64_t source = slot.source.load(std::memory_order_acquire);
    if ((source & format::kGraphEndUsed) == 0) continue;
    const std::uint64_t count = slot.count.load(std::memory_order_relaxed);
    edges.push_back({source, slot.sink, graph_rules::slot_count(count), graph_rules::slot_order(count)});
  }
  return edges;
}

Graph build_graph(Origin origin, std::span<const RunEdge> edges, const FindSite& find) {
  constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  Graph graph;
  graph.origin = std::move(origin);
  std::unordered_map<std::uint32_t, std::uint32_t> site_indices;
  const auto add_node = [&](std::uint64_t end) {
    const auto [entry, is_new] = site_indices.try_emplace(end_site(end), kUnknown);
    const CodeSite* site = is_new ? find(end_site(end)) : nullptr;
    if (site != nullptr) {
      entry->second = static_cast<std::uint32_t>(graph.sites.size());
      graph.sites.push_back(*site);
    }
    if (entry->second == kUnknown) return kUnknown;
    graph.nodes.push_back({entry->second, end_context(end), 1});
    return static_cast<std::uint32_t>(graph.nodes.size() - 1);
  };
  std::vector<std::uint64_t> orders;  // of the graph's edges
  std::uint64_t last_order = 1;
  for (const RunEdge& edge : edges) {
    const std::uint32_t source = add_node(edge.source), sink = add_node(edge.sink);
    if (source == kUnknown || sink == kUnknown) continue;
    graph.edges.push_back({source, sink, static_cast<std::uint32_t>(edge.count), 1, 0});
    orders.push_back(edge.order);
    last_order = std::max<std::uint64_t>(last_order, edge.order);
  }
  for (std::size_t i = 0; i < orders.size(); ++i)
    graph.edges[i].order = static_cast<std::uint8_t>(orders[i] * kOrderMax / last_order);
  normalise(graph);
  return graph;
}

}  // namespace heddle::graph
