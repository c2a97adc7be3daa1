#include "validate/anomaly_observer.h"

namespace heddle::validate {

using format::EventKind;

void AnomalyObserver::add(ThreadId thread, std::uint64_t descent, const trace::Event& event) {
  ++events_;
  const std::uint64_t points_before = points_;
  if (counter_.add(thread, event.kind, event.flags)) ++points_;
  for (std::size_t i = 0; i < anomaly_.size(); ++i) {
    const ExpectedEvent& expected = anomaly_[i];
    if (met_[i].order != 0 || expected.descent != descent || expected.kind != event.kind) continue;
    const bool matches = expected.site != 0 ? expected.site == event.site && ++visits_[i] == expected.visit
                                            : counter_.passed(thread) == expected.passed;
    if (matches) met_[i] = {events_, event.object, counter_.passed(thread), points_before, points_};
  }
}

std::size_t AnomalyObserver::first_missing() const {
  std::size_t index = 0;
  while (index < met_.size() && is_in_place(index)) ++index;
  return index;
}

bool AnomalyObserver::is_in_place(std::size_t index) const {
  const Met& met = met_[index];
  if (met.order == 0) return false;
  if (index == 0) return true;
  // One access that covers two locations can be two events of the anomaly.
  const bool same_event =
      anomaly_[index].descent == anomaly_[index - 1].descent && anomaly_[index].passed == anomaly_[index - 1].passed;
  if (same_event ? met.order != met_[index - 1].order : met.order <= met_[index - 1].order) return false;
  if (adjacent_ && met.points_before != met_[index - 1].points_after) return false;
  for (std::size_t before = index; before-- > 0;) {
    if (anomaly_[before].descent != anomaly_[index].descent) continue;
    return met.passed - met_[before].passed == anomaly_[index].passed - anomaly_[before].passed;
  }
  return true;
}

bool AnomalyObserver::same_objects() const {
  for (std::size_t i = 0; i < met_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (anomaly_[i].object == anomaly_[j].object && met_[i].object != met_[j].object) return false;
  return true;
}

}  // namespace heddle::validate
