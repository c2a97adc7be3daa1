#pragma once
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "predict/witness/window.h"

namespace heddle::predict {

// Finds an order of a window's nodes that can happen, as close to the trace as possible. It plays the nodes event by
// event and checks locks, reads and edges at every step. Each thread's next event is blocked, harmless, or matters: a
// harmless event cannot prevent a later one and is played immediately; among events that matter the search tries the
// one that is first in the trace, records the other threads in a branch, and backtracks to the latest branch if all
// threads are blocked. States from which every branch failed are remembered by a hash and not tried again. INVARIANT:
// all nodes of an event are played or taken back together. Limit: `steps_max` nodes are played.
class OrderSearch {
 public:
  OrderSearch(const Window& window, const Goal& goal, std::uint64_t steps_max);

  // The order until the goal is reached; nullopt if there is none or the limit was reached.
  std::optional<std::vector<NodeId>> run();
  std::uint64_t steps() const { return steps_; }

 private:
  using Local = Window::Local;

  struct Done {
    std::uint32_t thread;
    Local overwritten;  // of a write: what its location held before
  };
  struct Branch {
    std::size_t done;  // nodes played before it
    std::uint64_t state;
    std::vector<std::uint32_t> others;  // untried threads, the next one last
  };
  struct LockState {
    std::uint32_t exclusive = 0, shared = 0;
    std::uint32_t to_come = 0;  // acquires not played yet
  };
  struct LocationState {
    Local last_write = Window::kNone;  // kNone: the value before the window
    std::uint32_t base_readers = 0;    // reads of that value not played yet
    std::uint32_t writes_to_come = 0;
  };
  enum class FrontierState { Blocked, Harmless, Matters };

  bool reached() const;
  FrontierState state_of_thread(std::uint32_t thread) const;
  FrontierState state_of_node(Local local) const;
  FrontierState state_of_access(Local local) const;
  bool sees_required_write(Local local) const;
  std::optional<std::uint32_t> value_of(Local write, LocationId location) const;
  void play(std::uint32_t thread);
  void play_node(Local local);
  void take_back(std::size_t count);
  void toggle(std::uint64_t key) { state_ ^= key * 0x9e3779b97f4a7c15u ^ key >> 29; }
  bool choose();
  bool back_up();
  std::uint32_t& readers(std::uint32_t slot, Local write) {
    return write == Window::kNone ? locations_[slot].base_readers : readers_[write];
  }
  std::uint32_t readers(std::uint32_t slot, Local write) const {
    return write == Window::kNone ? locations_[slot].base_readers : readers_[write];
  }

  const Window& window_;
  const std::uint64_t steps_max_;
  std::uint64_t steps_ = 0;
  std::vector<Local> next_;  // by thread
  Adjacency predecessors_;
  std::vector<LockState> locks_;
  std::vector<LocationState> locations_;
  std::vector<std::uint32_t> readers_;  // by write
  std::vector<Local> partner_;          // by node: must be played immediately after it; usually kNone
  std::vector<Local> targets_;          // last node of each event of the goal; InOrder
  std::vector<Done> done_;
  std::vector<Branch> branches_;
  std::vector<std::uint32_t> others_;           // of the current choice
  std::unordered_set<std::uint64_t> hopeless_;  // states from which every branch failed
  std::uint64_t state_ = 0;
};

}  // namespace heddle::predict
