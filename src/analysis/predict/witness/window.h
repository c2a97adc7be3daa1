#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "predict/witness/cut.h"

namespace heddle::predict {

// The nodes that happen between a cut's start and its end, with everything that says which comes before which.
// Local numbers run thread by thread, so that a thread's nodes are neighbours.
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
  Local find(NodeId id) const;  // kNone when it is not in the window

  std::vector<NodeId> nodes;                   // by local number
  std::vector<std::uint32_t> thread_index;     // by local number: index into `threads`
  std::vector<ThreadIndex> threads;            // that have nodes here
  std::vector<Local> first;                    // by thread index, and one more
  std::vector<std::uint32_t> slot;             // by local number: of its location or lock; kNoSlot for others
  std::vector<Local> reads_from;               // by local number: a write here, or kNone: what was there before
  std::vector<bool> must_read;                 // by local number: a read that is not free
  std::vector<std::vector<Local>> writes_of;   // by location slot, by local number
  std::vector<std::vector<Local>> reads_of;    // by location slot: reads that are not free
  std::vector<std::vector<Section>> sections;  // by lock slot
  std::vector<LockId> lock_of_slot;
  std::vector<Edge> edges;  // beyond program order
  const Cut& cut;
  const Model& model;
  const WitnessStrength strength;

 private:
  void add_nodes();
  void add_edges(const Goal& goal);
  void add_sections();

  std::vector<std::uint32_t> index_of_thread_;
  std::unordered_map<LocationId, std::uint32_t> location_slots_;
  std::unordered_map<LockId, std::uint32_t> lock_slots_;
};

// Whether the edges and program order contradict each other.
bool is_cyclic(const Window& window);

// Adds to the window's edges what follows from those it has: a write that comes before a read of another write's
// value comes before that write; one that comes after that write comes after the read; of two sections of a lock,
// the one that begins before the other ends comes first. Returns false when they contradict each other. Gives up,
// with true, on windows that are too large.
bool saturate(Window& window);

}  // namespace heddle::predict
