#include "validate/anomaly_watch.h"

namespace heddle::validate {

using format::EventKind;

void AnomalyWatch::add(ThreadId thread, std::uint64_t descent, const trace::RingRecord& record) {
  ++events_;
  counter_.add(thread, record.kind, record.flags);
  for (std::size_t i = 0; i < anomaly_.size(); ++i) {
    const ExpectedEvent& expected = anomaly_[i];
    if (met_[i].order != 0 || expected.descent != descent || expected.kind != record.kind) continue;
    const bool there = expected.site != 0
                           ? expected.site == record.site && ++visits_[i] == expected.visit
                           : counter_.passed(thread) == expected.passed;
    if (there) met_[i] = {events_, record.object};
  }
}

std::size_t AnomalyWatch::first_missing() const {
  for (std::size_t i = 0; i < met_.size(); ++i)
    if (met_[i].order == 0 || (i > 0 && met_[i].order <= met_[i - 1].order)) return i;
  return met_.size();
}

bool AnomalyWatch::same_objects() const {
  for (std::size_t i = 0; i < met_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (anomaly_[i].object == anomaly_[j].object && met_[i].object != met_[j].object) return false;
  return true;
}

}  // namespace heddle::validate
