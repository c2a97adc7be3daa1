#pragma once
// Events, edges and graphs for tests.
#include <string>
#include <vector>

#include "graph/model/graph_builder.h"
#include "graph/model/software_model.h"
#include "graph_rules/edge_table.h"

namespace heddle::graph {

inline constexpr graph_rules::Event kLcRd = graph_rules::Event::LocalRead;
inline constexpr graph_rules::Event kLcWr = graph_rules::Event::LocalWrite;
inline constexpr graph_rules::Event kRmRd = graph_rules::Event::RemoteRead;
inline constexpr graph_rules::Event kRmWr = graph_rules::Event::RemoteWrite;

// The oldest event first, as the paper prints contexts.
inline Context context_of(std::initializer_list<graph_rules::Event> events) {
  Context context = 0;
  for (const graph_rules::Event event : events)
    context = graph_rules::push(context, event, graph_rules::context_mask(graph_rules::kContextSizeMax));
  return context;
}

inline trace::Event access(std::uint32_t thread, std::uint32_t site, std::uint64_t address, bool write,
                           std::uint16_t size = 8) {
  trace::Event event;
  event.thread = ThreadId{thread};
  event.site = site;
  event.object = address;
  event.size = size;
  event.kind = write ? format::EventKind::Write : format::EventKind::Read;
  return event;
}

inline trace::Event operation(std::uint32_t thread, std::uint32_t site, std::uint64_t primitive,
                              format::EventKind kind) {
  trace::Event event = access(thread, format::kFirstCallSite + site, primitive, true, 0);
  event.kind = kind;
  return event;
}

inline RunEdge edge(std::uint32_t source, Context source_context, std::uint32_t sink, Context sink_context,
                    std::uint64_t count = 1, std::uint32_t order = 0) {
  return {graph_rules::make_end(source, source_context), graph_rules::make_end(sink, sink_context), count, order};
}

inline format::GraphConfig test_config(std::uint32_t context_size = 5, std::uint32_t granule_shift = 3,
                                       format::GraphEvents events = format::GraphEvents::Writers) {
  format::GraphConfig config{};
  config.context_size = context_size;
  config.granule_shift = granule_shift;
  config.events = events;
  return config;
}

// Site n is line n of test.cpp, in function f<n / 10>.
inline Graph test_graph(const std::vector<RunEdge>& edges, Label label = Label::Passing) {
  static std::vector<CodeSite> sites;
  if (sites.empty()) {
    for (std::uint32_t line = 0; line < 4096; ++line)
      sites.push_back({line, line == 0 ? "" : "test.cpp", line, line == 0 ? "" : "f" + std::to_string(line / 10)});
  }
  Origin origin;
  origin.program = "/bin/test";
  origin.builds = {{"/bin/test", "abcd"}};
  origin.label = label;
  return build_graph(std::move(origin), edges, [](std::uint32_t site) { return &sites.at(site); });
}

}  // namespace heddle::graph
