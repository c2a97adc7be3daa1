#include "predict/search/lock_graph.h"

#include <algorithm>

namespace heddle::predict {
namespace {

// Tarjan's algorithm with an explicit stack: chains of locks may be as long as memory allows.
class Components {
 public:
  explicit Components(const Graph& graph)
      : graph_(graph),
        index_(graph.size(), kUnseen),
        low_(graph.size()),
        on_stack_(graph.size()),
        component_(graph.size(), kAcyclic) {}

  std::vector<std::uint32_t> run() {
    for (std::uint32_t vertex = 0; vertex < graph_.size(); ++vertex) {
      if (index_[vertex] == kUnseen) visit(vertex);
    }
    return std::move(component_);
  }

 private:
  static constexpr std::uint32_t kUnseen = 0xffffffffu;
  struct Frame {
    std::uint32_t vertex;
    std::size_t next;  // successor
  };

  void enter(std::uint32_t vertex) {
    index_[vertex] = low_[vertex] = count_++;
    stack_.push_back(vertex);
    on_stack_[vertex] = true;
    frames_.push_back({vertex, 0});
  }

  void visit(std::uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.next < graph_[frame.vertex].size()) {
        const std::uint32_t vertex = frame.vertex;
        const std::uint32_t successor = graph_[vertex][frame.next++];
        if (index_[successor] == kUnseen)
          enter(successor);
        else if (on_stack_[successor])
          low_[vertex] = std::min(low_[vertex], index_[successor]);
        continue;
      }
      const std::uint32_t vertex = frame.vertex;
      frames_.pop_back();
      if (!frames_.empty()) low_[frames_.back().vertex] = std::min(low_[frames_.back().vertex], low_[vertex]);
      if (low_[vertex] == index_[vertex]) leave_component(vertex);
    }
  }

  void leave_component(std::uint32_t root) {
    const bool cycle = stack_.back() != root || std::ranges::find(graph_[root], root) != graph_[root].end();
    std::uint32_t vertex;
    do {
      vertex = stack_.back();
      stack_.pop_back();
      on_stack_[vertex] = false;
      if (cycle) component_[vertex] = components_;
    } while (vertex != root);
    if (cycle) ++components_;
  }

  const Graph& graph_;
  std::vector<std::uint32_t> index_, low_;
  std::vector<bool> on_stack_;
  std::vector<std::uint32_t> component_;
  std::vector<std::uint32_t> stack_;
  std::vector<Frame> frames_;
  std::uint32_t count_ = 0;
  std::uint32_t components_ = 0;
};

}  // namespace

std::vector<std::uint32_t> cyclic_components(const Graph& graph) { return Components(graph).run(); }

}  // namespace heddle::predict
