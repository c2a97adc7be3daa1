#include "validate/run_watch.h"

namespace heddle::validate {

using format::EventKind;

void RunWatch::add(const trace::Event& event) {
  if (event.kind == EventKind::Fork) {
    threads_.add(ThreadId{static_cast<std::uint32_t>(event.object)}, event.thread);
    descents_ = threads_.descents();
  }
  if (event.kind == EventKind::Switch || !format::is_event(event.kind)) return;
  const std::size_t thread = number(event.thread);
  const std::uint64_t descent = thread < descents_.size() ? descents_[thread] : 0;
  anomaly_.add(event.thread, descent, event);
  paths_.add(descent, event.site, event.kind);
}

}  // namespace heddle::validate
