#include "slice/log/synchronisation_history.h"

namespace heddle::slice {

void SynchronisationHistory::take(const trace::Event& record) {
  const std::uint32_t thread = number(record.thread);
  const Before before = at_end(thread);
  const NodeId node = count() + 1;
  found_.clear();
  synchronisation_.take(record, node, found_);
  for (const NodeId on : found_.nodes()) dependences_.push_back(on);
  events_.push_back({before.lock, before.wait, static_cast<std::uint32_t>(dependences_.size())});
  if (record.kind != format::EventKind::Begin) return;
  if (beginnings_.size() <= thread) beginnings_.resize(thread + 1);
  beginnings_[thread] = node;
}

}  // namespace heddle::slice
