#include "validate/run_watch.h"

namespace heddle::validate {

using format::EventKind;

void RunWatch::consume(std::span<const std::uint64_t> words) {
  decoder_.decode(words, [this](const trace::RingRecord& record) { add(record); });
}

void RunWatch::add(const trace::RingRecord& record) {
  if (record.kind == EventKind::Fork) {
    threads_.add(ThreadId{static_cast<std::uint32_t>(record.object)}, record.thread);
    descents_ = threads_.descents();
  }
  if (record.kind == EventKind::Switch || !format::is_event(record.kind)) return;
  const std::size_t thread = number(record.thread);
  const std::uint64_t descent = thread < descents_.size() ? descents_[thread] : 0;
  anomaly_.add(record.thread, descent, record);
  paths_.add(descent, record.site, record.kind);
}

}  // namespace heddle::validate
