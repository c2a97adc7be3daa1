#pragma once
// What threads wait for: an acquisition depends on the release, a thread's beginning on its fork, a join on the exit, a
// receive on the send.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "slice/log/growing_array.h"
#include "trace/ring_decoder.h"

namespace heddle::slice {

// Events of synchronisation, numbered from 1 in the order of execution.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0;

// The nodes on which an event depends. There are few, so a new one is compared with the last ones only.
class Dependences {
 public:
  void add(NodeId node) {
    if (node == kNoNode) return;
    const std::size_t compared = nodes_.size() < kCompared ? nodes_.size() : kCompared;
    for (std::size_t i = 1; i <= compared; ++i)
      if (nodes_[nodes_.size() - i] == node) return;
    nodes_.push_back(node);
  }
  void clear() { nodes_.clear(); }
  std::span<const NodeId> nodes() const { return nodes_; }

 private:
  static constexpr std::size_t kCompared = 8;
  std::vector<NodeId> nodes_;
};

// State of all threads and synchronisation objects at one point of the execution.
class Synchronisation {
 public:
  // Adds the dependences of the event to `found` and records it as `node`. REQUIRES: is_known(record.kind).
  void take(const trace::Event& record, NodeId node, Dependences& found);
  static bool is_known(format::EventKind kind);

  // Every event of a thread depends on the lock that the thread acquired last and still holds, and on its last wait.
  struct Context {
    NodeId lock = kNoNode, wait = kNoNode;
  };
  Context context_of(std::uint32_t thread) const {
    if (thread >= threads_.size()) return {};
    const Thread& self = threads_[thread];
    return {self.held.empty() ? kNoNode : self.held.back().node, self.last_wait};
  }

 private:
  struct Held {
    std::uint64_t object;
    NodeId node;
  };
  struct Thread {
    NodeId fork = kNoNode, exit = kNoNode, last_wait = kNoNode, signal = kNoNode;
    std::vector<Held> held;
  };
  struct Object {
    std::vector<NodeId> released;  // the last release; several for shared locks and barriers
    bool by_many = false;
    std::deque<NodeId> sent;  // and not received yet
    NodeId last_sent = kNoNode;
  };
  void take_thread_event(const trace::Event& record, NodeId node, Dependences& found);
  Thread& thread(std::uint64_t number);
  Object& object(std::uint64_t address) {
    if (last_object_ == nullptr || last_address_ != address) {
      last_address_ = address;
      last_object_ = &objects_[address];
    }
    return *last_object_;
  }

  std::deque<Thread> threads_;  // with stable addresses
  std::unordered_map<std::uint64_t, Object> objects_;
  std::uint64_t last_address_ = 0;  // the next event usually has the same object
  Object* last_object_ = nullptr;
};

// All events of synchronisation of an execution, and the dependences of each.
class SynchronisationHistory {
 public:
  // Appends an event. REQUIRES: Synchronisation::is_known(record.kind).
  void take(const trace::Event& record);

  NodeId count() const { return static_cast<NodeId>(events_.size()); }

  // Before the event.
  Synchronisation::Context before(NodeId node) const { return events_[node - 1].before; }
  std::span<const NodeId> dependences_of(NodeId node) const {
    const std::uint32_t begin = node == 1 ? 0 : events_[node - 2].end;
    return dependences_.span().subspan(begin, events_[node - 1].end - begin);
  }

  Synchronisation::Context at_end(std::uint32_t thread) const { return synchronisation_.context_of(thread); }
  NodeId beginning_of(std::uint32_t thread) const {
    return thread < beginnings_.size() ? beginnings_[thread] : kNoNode;
  }

 private:
  struct Event {
    Synchronisation::Context before;
    std::uint32_t end;  // of its dependences
  };

  Synchronisation synchronisation_;
  GrowingArray<Event> events_;
  GrowingArray<NodeId> dependences_;
  std::vector<NodeId> beginnings_;  // by thread
  Dependences found_;
};

}  // namespace heddle::slice
