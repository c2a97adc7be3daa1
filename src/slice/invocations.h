#pragma once
// The functions that one thread is in, each with what its values depend on: dependences by registers and by control inside
// of a thread.
//
// Control dependence is found while it runs (B. Xin, X. Zhang, "Efficient Online Detection of Dynamic Control Dependence",
// ISSTA 2007): a branch governs what comes until its ways meet again. Values are followed by the compiler's own def-use
// relation (slice/flow_rows.h), step by step of each block that the thread comes to.
#include <cstdint>
#include <vector>

#include "slice/dependence_graph.h"
#include "slice/flow_rows.h"
#include "slice/synchronisation.h"

namespace heddle::slice {

class Invocations {
 public:
  // All outlive this.
  Invocations(std::uint32_t thread, DependenceGraph& graph, const Synchronisation& synchronisation)
      : thread_(thread), graph_(graph), synchronisation_(synchronisation) {}

  // The thread has come to a point of the function: a block, or a call (number of blocks + its number). `base`: of the
  // function's frame; the same in one invocation, smaller in those that it calls.
  void come_to(const FunctionFlow& flow, std::uint32_t point, std::uint64_t base);

  // An access at this step of the function. The caller adds what it depends on by memory, then makes a node of it.
  // Returns the step, to be handed to finish_access(); nullptr: the thread is nowhere where this step could be.
  const Step* begin_access(const FunctionFlow& flow, const FunctionFlow::Place& place, Dependences& found);
  const Step* begin_private_access(std::uint32_t number, Dependences& found);
  void finish_access(const Step* step, NodeId node);

  // What an event that the thread makes now depends on: by control, by the last call, by what it waited for and holds.
  void add_context(Dependences& found) const;
  // What it did inside of a call.
  void add_call(Dependences& found) const { found.add(last_call_); }
  // Everything before the first function depends on this: how the thread began.
  void set_beginning(NodeId node) { beginning_ = node; }
  void set_last(NodeId node) { last_ = node; }
  NodeId last() const { return last_; }

 private:
  struct Frame {
    const FunctionFlow* flow;
    std::uint64_t base;
    NodeId control;             // how the thread came into the function
    NodeId returned = kNoNode;  // what the value depends on that it gives back
    std::size_t slots;          // where its slots begin
    std::size_t decisions;      // where its decisions begin
    std::uint32_t block = 0;
    std::uint32_t step = 0;     // of the block, the next
    const Step* call = nullptr; // the last, as long as it may not have returned
  };
  struct Decision {
    NodeId node;
    std::uint32_t join;  // governs until the thread comes to this block
  };

  void enter(const FunctionFlow& flow, std::uint64_t base);
  void leave();
  void move_to(std::uint32_t block);
  void make_call(const FunctionFlow::Place& place);
  void run_until(Frame& frame, std::uint32_t step);
  void run(Frame& frame, const Step& step);
  void run_phis(Frame& frame, std::uint32_t from);
  bool is_ahead(const Frame& frame, const FunctionFlow::Place& place) const {
    return place.block == frame.block && place.step >= frame.step;
  }
  const Step* begin_step(const FunctionFlow::Place& place, Dependences& found);
  NodeId control_of(const Frame& frame) const {
    return decisions_.size() > frame.decisions ? decisions_.back().node : frame.control;
  }
  NodeId& slot(const Frame& frame, std::uint32_t number) { return slots_[frame.slots + number]; }
  void add_sources(const Frame& frame, const Slots& sources, Dependences& found) const {
    for (const std::uint32_t source : sources) found.add(slots_[frame.slots + source]);
  }
  // One node that stands for all of these.
  NodeId combined(const Dependences& dependences);

  const std::uint32_t thread_;
  DependenceGraph& graph_;
  const Synchronisation& synchronisation_;
  std::vector<Frame> frames_;
  std::vector<NodeId> slots_;
  std::vector<Decision> decisions_;
  std::vector<NodeId> arguments_;  // of the last call
  NodeId last_call_ = kNoNode;
  NodeId beginning_ = kNoNode;
  NodeId last_ = kNoNode;
  Dependences scratch_;
  std::vector<NodeId> phis_;
};

}  // namespace heddle::slice
