#pragma once
// What threads wait for: a lock taken depends on its release, a thread's beginning on its fork, a join on the exit,
// what is received on what was sent.
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "slice/log/dependences.h"
#include "trace/ring_decoder.h"

namespace heddle::slice {

class Synchronisation {
 public:
  // Adds what the event depends on to `found`, and remembers it as `node`. REQUIRES: is_known(record.kind).
  void take(const trace::Event& record, NodeId node, Dependences& found);
  static bool is_known(format::EventKind kind);

  // What everything that the thread does now depends on: the last thing it had to wait for, and the lock it holds that
  // it took last. kNoNode: nothing.
  NodeId last_wait(std::uint32_t thread) const {
    return thread < threads_.size() ? threads_[thread].last_wait : kNoNode;
  }
  NodeId innermost_lock(std::uint32_t thread) const {
    return thread < threads_.size() && !threads_[thread].held.empty() ? threads_[thread].held.back().node : kNoNode;
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
    std::vector<NodeId> released;  // the last to give it up; several for those who only read, or who came to a barrier
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

  std::deque<Thread> threads_;                         // stay where they are when there are more
  std::unordered_map<std::uint64_t, Object> objects_;  // stay where they are, too
  std::uint64_t last_address_ = 0;                     // of what comes next most of the time
  Object* last_object_ = nullptr;
};

}  // namespace heddle::slice
