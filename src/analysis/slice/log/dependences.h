#pragma once
// What an event of synchronisation depends on by what other threads did.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle::slice {

// Events of synchronisation, numbered from 1 in the order of execution.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0;

// Few of them, so each is compared with the last ones only.
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

}  // namespace heddle::slice
