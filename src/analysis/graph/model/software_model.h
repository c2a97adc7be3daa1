#pragma once
// BB-SW from the events of a run: the same rules as the runtime's (target/runtime/graph), for existing traces and to
// check the runtime.
#include <unordered_map>
#include <vector>

#include "graph/model/graph_builder.h"
#include "graph_rules/access_rules.h"
#include "trace/event.h"

namespace heddle::graph {

class SoftwareModel {
 public:
  explicit SoftwareModel(const format::GraphConfig& config)
      : mask_(graph_rules::context_mask(config.context_size)),
        granule_shift_(config.granule_shift),
        readers_(config.events == format::GraphEvents::Readers) {}

  void add(const trace::Event& event);
  const std::vector<RunEdge>& edges() const { return edges_.all(); }
  Context context_of(std::uint32_t thread) const;

 private:
  struct Granule {
    graph_rules::Cell writer = 0;
    std::uint64_t readers = 0;
    graph_rules::Cell use = 0;
  };
  struct Store;
  void operate(const trace::Event& event);

  const Context mask_;
  const unsigned granule_shift_;
  const bool readers_;
  std::unordered_map<std::uint64_t, Granule> granules_;
  std::unordered_map<std::uint32_t, Context> contexts_;
  RunEdges edges_;
};

}  // namespace heddle::graph
