#pragma once
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "predict/witness/window.h"

namespace heddle::predict {

// Puts a window's nodes in an order that could have happened, as near to the trace as possible, by playing it: locks,
// reads and edges are checked at every step. What can do no harm is done at once; where it matters who goes first the
// order of the trace is tried before others. Bounded: `steps_max` nodes are played in all.
class OrderSearch {
 public:
  OrderSearch(const Window& window, const Goal& goal, std::uint64_t steps_max);

  // The order until the goal is reached; nullopt when there is none or the bound was met.
  std::optional<std::vector<NodeId>> run();
  std::uint64_t steps() const { return steps_; }

 private:
  using Local = Window::Local;

  struct Done {
    std::uint32_t thread;
    Local overwritten;  // of a write: what its location held before
  };
  struct Branch {
    std::size_t done;  // how many had happened
    std::uint64_t state;
    std::vector<std::uint32_t> others;  // threads still to be tried, the next one last
  };
  struct LockState {
    std::uint32_t exclusive = 0, shared = 0;
    std::uint32_t to_come = 0;  // acquires that have not happened yet
  };
  struct LocationState {
    Local last_write = Window::kNone;  // kNone: as it was before the window
    std::uint32_t base_readers = 0;    // reads of that which have not happened yet
    std::uint32_t writes_to_come = 0;
  };
  enum class FrontierState { Blocked, Harmless, Matters };

  void prepare(const Goal& goal);
  bool reached() const;
  FrontierState state_of_thread(std::uint32_t thread) const;
  FrontierState state_of_node(Local local) const;
  FrontierState state_of_access(Local local) const;
  bool sees_what_it_saw(Local local) const;
  std::optional<std::uint32_t> value_of(Local write, LocationId location) const;
  void play(std::uint32_t thread);
  void play_node(Local local);
  void take_back(std::size_t done);
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
  std::vector<Local> next_;                // by thread
  std::vector<std::uint32_t> edge_heads_;  // by node: where its predecessors begin
  std::vector<Local> predecessors_;
  std::vector<LockState> locks_;
  std::vector<LocationState> locations_;
  std::vector<std::uint32_t> readers_;  // by write
  std::vector<Local> partner_;          // by node: must be played right after it; kNone mostly
  std::vector<Local> targets_;          // last node of each event of the goal; InOrder
  std::vector<Done> done_;
  std::vector<Branch> branches_;
  std::vector<std::uint32_t> others_;           // of the choice at hand
  std::unordered_set<std::uint64_t> hopeless_;  // states that led nowhere
  std::uint64_t state_ = 0;
};

}  // namespace heddle::predict
