#pragma once
// What depends on what in one execution: a node for every event, and for what it takes to tell between them.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/event.h"

namespace heddle::slice {

// In the order of execution: a node depends on smaller ones only.
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0;

struct Node {
  std::uint32_t site = 0;
  std::uint32_t thread = 0;
  format::EventKind kind{};  // 0: no event, a value that has several sources
};

// The dependences of a node that is about to be added. Few of them, so each is compared with the last ones only.
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

// Grows without moving what is there: a long execution has hundreds of megabytes of it.
template <typename T>
class Pieces {
 public:
  void push_back(const T& value) {
    if (size_ % kPiece == 0) pieces_.push_back(std::make_unique_for_overwrite<T[]>(kPiece));
    pieces_.back()[size_++ % kPiece] = value;
  }
  const T& operator[](std::size_t index) const { return pieces_[index / kPiece][index % kPiece]; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 18;
  std::vector<std::unique_ptr<T[]>> pieces_;
  std::size_t size_ = 0;
};

class DependenceGraph {
 public:
  DependenceGraph();

  NodeId add(const Node& node, const Dependences& dependences);
  // The number that the next node will have.
  NodeId next() const { return static_cast<NodeId>(ends_.size()); }
  Node node(NodeId id) const {
    const Packed packed = nodes_[id];
    return {packed.site, packed.thread_and_kind >> 8, static_cast<format::EventKind>(packed.thread_and_kind & 0xff)};
  }
  std::vector<NodeId> dependences_of(NodeId id) const;

  // By NodeId: true for all that these depend on, and for themselves.
  std::vector<bool> reached_from(std::span<const NodeId> criteria) const;

 private:
  struct Packed {
    std::uint32_t site;
    std::uint32_t thread_and_kind;
  };
  Pieces<Packed> nodes_;
  Pieces<std::uint32_t> ends_;  // of each node's dependences
  Pieces<NodeId> dependences_;
};

}  // namespace heddle::slice
