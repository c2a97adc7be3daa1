#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "slice/log/dependences.h"
#include "slice/log/growing_array.h"
#include "slice/log/synchronisation.h"

namespace heddle::slice {

// All events of synchronisation of an execution, and what each of them depends on.
class SynchronisationHistory {
 public:
  // The next one. REQUIRES: Synchronisation::is_known(record.kind).
  void take(const trace::Event& record);

  NodeId count() const { return static_cast<NodeId>(events_.size()); }

  // What its thread held, and had waited for last, before it.
  struct Before {
    NodeId lock, wait;
  };
  Before before(NodeId node) const { return {events_[node - 1].lock, events_[node - 1].wait}; }
  std::span<const NodeId> dependences_of(NodeId node) const {
    const std::uint32_t begin = node == 1 ? 0 : events_[node - 2].end;
    return dependences_.span().subspan(begin, events_[node - 1].end - begin);
  }

  // The same at the end.
  Before at_end(std::uint32_t thread) const {
    return {synchronisation_.innermost_lock(thread), synchronisation_.last_wait(thread)};
  }
  NodeId beginning_of(std::uint32_t thread) const {
    return thread < beginnings_.size() ? beginnings_[thread] : kNoNode;
  }

 private:
  struct Event {
    NodeId lock, wait;
    std::uint32_t end;  // of its dependences
  };

  Synchronisation synchronisation_;
  GrowingArray<Event> events_;
  GrowingArray<NodeId> dependences_;
  std::vector<NodeId> beginnings_;  // by thread
  Dependences found_;
};

}  // namespace heddle::slice
