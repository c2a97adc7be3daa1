#include "predict/model/contention.h"

#include <algorithm>

#include "predict/heuristics.h"

namespace heddle::predict {
namespace {

// False if each write is ordered after the last access of every other thread, and before their next accesses.
// `latest` is scratch memory, by thread.
bool is_contended(const Model& model, const std::vector<NodeId>& accesses, std::vector<NodeId>& latest) {
  const auto is_open = [&](NodeId before, NodeId after) {
    return model.node(before).thread != model.node(after).thread && !model.ordered(before, after);
  };
  latest.assign(model.threads.size(), kNoNode);
  NodeId last_write = kNoNode;
  std::size_t writes_seen = 0;
  for (const NodeId id : accesses) {
    const Node& node = model.node(id);
    // Only the first access of each thread since the last write: program order covers those that follow.
    const bool first = latest[node.thread] == kNoNode || latest[node.thread] < last_write;
    if (last_write != kNoNode && first && is_open(last_write, id)) return true;
    if (writes(node.kind)) {
      if (++writes_seen > kContentionWritesMax) return true;
      for (const NodeId before : latest)
        if (before != kNoNode && is_open(before, id)) return true;
      last_write = id;
    }
    latest[node.thread] = id;
  }
  return false;
}

}  // namespace

Contention::Contention(const Model& model, bool everything)
    : contended_(model.locations.size(), everything), positions_(model.threads.size()) {
  std::vector<NodeId> latest;
  bool any = everything && !contended_.empty();
  for (LocationId location = 0; location < contended_.size() && !everything; ++location) {
    contended_[location] = is_contended(model, model.locations[location], latest);
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
