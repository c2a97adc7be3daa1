#include <algorithm>

#include "predict/search/searches.h"

namespace heddle::predict {
namespace {

constexpr std::uint64_t kFlipKey = 8;

class FlipSearch {
 public:
  FlipSearch(const Model& model, CandidateSet& candidates) : model_(model), candidates_(candidates) {}

  void run() {
    for (const std::vector<NodeId>& accesses : model_.locations) search_location(accesses);
  }

 private:
  void search_location(const std::vector<NodeId>& accesses) {
    NodeId last_write = kNoNode;
    readers_.clear();
    for (const NodeId id : accesses) {
      const Node& node = model_.node(id);
      if (reads(node.kind)) {
        if (last_write != kNoNode) consider(last_write, id, "write-read");
        // Keep only the latest read of each thread.
        std::erase_if(readers_, [&](NodeId other) { return model_.node(other).thread == node.thread; });
        readers_.push_back(id);
      }
      if (!writes(node.kind)) continue;
      for (const NodeId reader : readers_) consider(reader, id, "read-write");
      if (last_write != kNoNode) consider(last_write, id, "write-write");
      readers_.clear();
      last_write = id;
    }
  }

  // `first` precedes `second` in the trace.
  void consider(NodeId first, NodeId second, const char* pattern) {
    const Node& a = model_.node(first);
    const Node& b = model_.node(second);
    if (a.thread == b.thread || a.kind == NodeKind::Free || b.kind == NodeKind::Free) return;
    const CandidateKey key{kFlipKey, model_.line(first), model_.line(second), static_cast<std::uint64_t>(a.kind),
                           static_cast<std::uint64_t>(b.kind)};
    if (!candidates_.wants(key) || model_.ordered(first, second)) return;
    candidates_.add(key, {.kind = AnomalyKind::Order, .pattern = pattern},
                    {Goal::Shape::InOrder, {second, first}, {{0, 1}}});
  }

  const Model& model_;
  CandidateSet& candidates_;
  std::vector<NodeId> readers_;  // since the last write
};

}  // namespace

void find_flips(const Model& model, CandidateSet& candidates) { FlipSearch(model, candidates).run(); }

}  // namespace heddle::predict
