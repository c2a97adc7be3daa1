#include <vector>

#include "predict/search/searches.h"

namespace heddle::predict {
namespace {

constexpr std::uint64_t kFlipKey = 8;

// `first` precedes `second` in the trace.
void consider_flip(const Model& model, NodeId first, NodeId second, const char* pattern, CandidateSet& candidates) {
  const Node& a = model.node(first);
  const Node& b = model.node(second);
  if (a.thread == b.thread || a.kind == NodeKind::Free || b.kind == NodeKind::Free) return;
  const CandidateKey key{kFlipKey, model.line(first), model.line(second), static_cast<std::uint64_t>(a.kind),
                         static_cast<std::uint64_t>(b.kind)};
  if (!candidates.wants(key) || model.ordered(first, second)) return;
  candidates.add(key, {.kind = AnomalyKind::Order, .pattern = pattern},
                 {Goal::Shape::InOrder, {second, first}, {{0, 1}}});
}

}  // namespace

void find_flips(const Model& model, CandidateSet& candidates) {
  for (const std::vector<NodeId>& accesses : model.locations) {
    NodeId last_write = kNoNode;
    std::vector<NodeId> readers;  // since the last write; the latest read of each thread
    for (const NodeId id : accesses) {
      const Node& node = model.node(id);
      if (reads(node.kind)) {
        if (last_write != kNoNode) consider_flip(model, last_write, id, "write-read", candidates);
        std::erase_if(readers, [&](NodeId other) { return model.node(other).thread == node.thread; });
        readers.push_back(id);
      }
      if (!writes(node.kind)) continue;
      for (const NodeId reader : readers) consider_flip(model, reader, id, "read-write", candidates);
      if (last_write != kNoNode) consider_flip(model, last_write, id, "write-write", candidates);
      readers.clear();
      last_write = id;
    }
  }
}

}  // namespace heddle::predict
