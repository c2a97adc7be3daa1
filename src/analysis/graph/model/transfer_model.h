#pragma once
#include <unordered_map>
#include <vector>

#include "graph/model/graph_builder.h"
#include "graph/model/load_samples.h"

namespace heddle::graph {

// A graph of sampled transfers. A sample names the instruction that got the line, but not the one that wrote it. The
// source of an edge is therefore the instruction by which another thread got the same line last: its last known holder.
// Without one the source is memory. Contexts consist of these transfers.
class TransferModel {
 public:
  explicit TransferModel(std::uint32_t context_size) : mask_(graph_rules::context_mask(context_size)) {}
  // REQUIRES: is_transfer(sample); samples are ordered by time.
  void add(const LoadSample& sample);
  const std::vector<RunEdge>& edges() const { return edges_.all(); }
  // By site number less 1.
  const std::vector<std::uint64_t>& instructions() const { return instructions_; }

 private:
  struct LastHolder {
    std::uint64_t end = 0;  // as in graph_rules/edge_table.h
    std::uint32_t thread = 0;
  };
  std::uint32_t site_of(std::uint64_t ip);

  const Context mask_;
  std::unordered_map<std::uint64_t, LastHolder> lines_;
  std::unordered_map<std::uint32_t, Context> contexts_;  // by thread
  std::unordered_map<std::uint64_t, std::uint32_t> sites_;
  std::vector<std::uint64_t> instructions_;
  RunEdges edges_;
};

}  // namespace heddle::graph
