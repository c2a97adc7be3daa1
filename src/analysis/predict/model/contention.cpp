#include "predict/model/contention.h"

#include <algorithm>

#include "predict/heuristics.h"

namespace heddle::predict {
namespace {

class LocationCheck {
 public:
  explicit LocationCheck(const Model& model) : model_(model), latest_(model.threads.size()) {}

  // False if each write is ordered after the last access of every other thread, and before their next accesses.
  bool is_contended(const std::vector<NodeId>& accesses) {
    std::ranges::fill(latest_, kNoNode);
    NodeId last_write = kNoNode;
    std::size_t writes_seen = 0;
    for (const NodeId id : accesses) {
      const Node& node = model_.node(id);
      // Only the first access of each thread since the last write: program order covers those that follow.
      const bool first = latest_[node.thread] == kNoNode || latest_[node.thread] < last_write;
      if (last_write != kNoNode && first && is_open(last_write, id)) return true;
      if (writes(node.kind)) {
        if (++writes_seen > kContentionWritesMax) return true;
        for (const NodeId before : latest_)
          if (before != kNoNode && is_open(before, id)) return true;
        last_write = id;
      }
      latest_[node.thread] = id;
    }
    return false;
  }

 private:
  bool is_open(NodeId before, NodeId after) const {
    return model_.node(before).thread != model_.node(after).thread && !model_.ordered(before, after);
  }

  const Model& model_;
  std::vector<NodeId> latest_;  // by thread
};

}  // namespace

Contention::Contention(const Model& model, bool everything)
    : contended_(model.locations.size(), everything), positions_(model.threads.size()) {
  LocationCheck check(model);
  bool any = everything && !contended_.empty();
  for (LocationId location = 0; location < contended_.size() && !everything; ++location) {
    contended_[location] = check.is_contended(model.locations[location]);
    any |= contended_[location];
  }
  if (!any) return;
  for (NodeId id = 0; id < model.nodes.size(); ++id) {
    const Node& node = model.node(id);
    if (is_access(node.kind) && contended_[node.object]) positions_[node.thread].push_back(node.position);
  }
}

std::span<const std::uint32_t> Contention::positions(ThreadIndex thread, std::uint32_t first,
                                                     std::uint32_t last) const {
  const std::vector<std::uint32_t>& all = positions_[thread];
  const auto begin = std::ranges::lower_bound(all, first);
  const auto end = std::upper_bound(begin, all.end(), last);
  return {begin, end};
}

}  // namespace heddle::predict
