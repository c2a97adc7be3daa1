#include "graph/model/transfer_model.h"

#include "graph/model/hardware_model.h"
#include "graph_rules/edge_table.h"

namespace heddle::graph {

using graph_rules::Event;

std::uint32_t TransferModel::site_of(std::uint64_t ip) {
  const auto [entry, is_new] = sites_.try_emplace(ip, static_cast<std::uint32_t>(instructions_.size() + 1));
  if (is_new) instructions_.push_back(ip);
  return entry->second;
}

void TransferModel::add(const LoadSample& sample) {
  Context& context = contexts_[sample.thread];
  const std::uint64_t sink = graph_rules::make_end(site_of(sample.ip), context);
  LastHolder& last = lines_[sample.address >> kLineShift];
  if (last.end == 0) {
    edges_.add(graph_rules::make_end(0, 0), sink);
  } else if (last.thread != sample.thread) {
    edges_.add(last.end, sink);
    Context& other = contexts_[last.thread];
    other = graph_rules::push(other, Event::RemoteRead, mask_);
  }
  Context& own = contexts_[sample.thread];
  own = graph_rules::push(own, Event::LocalRead, mask_);
  last = {sink, sample.thread};
}

}  // namespace heddle::graph
