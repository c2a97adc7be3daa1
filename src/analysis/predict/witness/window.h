#pragma once
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "predict/witness/cut.h"

namespace heddle::predict {

// The nodes between a cut's start and its end, with all constraints on their order: program order, edges, the writes
// that reads must see, and the critical sections. Local numbers run thread by thread, so that the nodes of a thread are
// consecutive.
class Window {
 public:
  using Local = std::uint32_t;
  static constexpr Local kNone = 0xffffffffu;
  static constexpr std::uint32_t kNoSlot = 0xffffffffu;

  struct Edge {
    Local before, after;
  };
  struct Section {
    Local acquire;  // kNone: taken before the window
    Local release;  // kNone: open at the end
    std::uint32_t thread;
    bool shared;
  };

  Window(const Model& model, const Goal& goal, const Cut& cut, WitnessStrength strength, LockRule locks);

  std::size_t size() const { return nodes.size(); }
  std::uint32_t thread_of(Local local) const { return thread_index[local]; }
  Local find(NodeId id) const;  // kNone if it is not in the window

  std::vector<NodeId> nodes;                   // by local number
  std::vector<std::uint32_t> thread_index;     // by local number: index into `threads`
  std::vector<ThreadIndex> threads;            // with nodes in the window
  std::vector<Local> first;                    // by thread index, then size()
  std::vector<std::uint32_t> slot;             // by local number: slot of its location or lock, or kNoSlot
  std::vector<Local> reads_from;               // by local number: a write of the window; kNone: the value before it
  std::vector<bool> must_read;                 // by local number: a read that is not free
  std::vector<std::vector<Local>> writes_of;   // by location slot, by local number
  std::vector<std::vector<Local>> reads_of;    // by location slot: reads that are not free
  std::vector<std::vector<Section>> sections;  // by lock slot
  std::vector<Edge> edges;                     // beyond program order
  const Cut& cut;
  const Model& model;
  const WitnessStrength strength;

 private:
  void add_nodes();
  void add_edges(const Goal& goal);
  void add_sections();

  std::vector<std::uint32_t> index_of_thread_;
};

// The edges of a window by node. of(n): the successors of n, or its predecessors with `backwards`.
class Adjacency {
 public:
  void assign(const Window& window, bool backwards = false);
  std::span<const Window::Local> of(Window::Local node) const {
    return std::span(ends_).subspan(heads_[node], heads_[node + 1] - heads_[node]);
  }

 private:
  std::vector<std::uint32_t> heads_, fill_;
  std::vector<Window::Local> ends_;
};

// Kahn's algorithm: calls `visit(node)` for each node after its predecessors. False if the edges and program order form
// a cycle; the nodes behind it are then not visited.
template <typename Visit>
bool visit_in_order(const Window& window, const Adjacency& successors, Visit visit) {
  std::vector<std::uint32_t> waiting(window.size());  // by node: predecessors that were not visited
  for (const Window::Edge& edge : window.edges) ++waiting[edge.after];
  std::vector<Window::Local> next(window.first.begin(), window.first.end() - 1);
  std::vector<std::uint32_t> ready(next.size());
  std::iota(ready.begin(), ready.end(), 0);
  std::size_t done = 0;
  while (!ready.empty()) {
    const std::uint32_t thread = ready.back();
    ready.pop_back();
    while (next[thread] < window.first[thread + 1] && waiting[next[thread]] == 0) {
      const Window::Local node = next[thread]++;
      ++done;
      visit(node);
      for (const Window::Local after : successors.of(node)) {
        const std::uint32_t other = window.thread_of(after);
        if (--waiting[after] == 0 && next[other] == after && other != thread) ready.push_back(other);
      }
    }
  }
  return done == window.size();
}

// Adds the edges that follow from the existing ones: a write that precedes a read of another write also precedes that
// write; a write that follows that write also follows the read; of two sections of a lock, the one that begins before
// the other ends comes first. False if they contradict each other. Skips windows that are too large, with true.
bool saturate(Window& window);

}  // namespace heddle::predict
