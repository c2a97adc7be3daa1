#include "run/process/ring_sink.h"

namespace heddle::run {

void EventObserver::consume(std::span<const std::uint64_t> words) {
  std::size_t count = 0;
  decoder_.decode(words, [&](const trace::Event& event) {
    if (collector_ != nullptr && !format::is_access(event.kind)) collector_->take(event);
    batch_[count++] = event;
    if (count < batch_.size()) return;
    observe(batch_);
    count = 0;
  });
  if (count != 0) observe(std::span(batch_).first(count));
}

void RingFanOut::consume(std::span<const std::uint64_t> words, bool backpressure) {
  if (sink_ == nullptr) {
    decoder_.decode_but_accesses(words, [this](const trace::Event& event) { collector_.take(event); });
    return;
  }
  sink_->set_backpressure(backpressure);
  sink_->consume(words);
}

}  // namespace heddle::run
