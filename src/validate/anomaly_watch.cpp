#include "validate/anomaly_watch.h"

#include "base/hash.h"

namespace heddle::validate {

using format::EventKind;

const std::uint64_t AnomalyWatch::kMainDescentHash = kMainDescent;

void AnomalyWatch::consume(std::span<const std::uint64_t> words) {
  decoder_.decode(words, [this](const trace::RingRecord& record) { add(record); });
}

void AnomalyWatch::add(const trace::RingRecord& record) {
  ++events_;
  if (record.kind == EventKind::Fork) {
    const std::uint32_t child = static_cast<std::uint32_t>(record.object), parent = number(record.thread);
    if (child >= descents_.size()) {
      descents_.resize(child + 1, 0);
      children_.resize(child + 1, 0);
    }
    if (parent < descents_.size()) descents_[child] = child_descent(descents_[parent], ++children_[parent]);
  }
  if (record.kind == EventKind::Switch || static_cast<unsigned>(record.kind) >= static_cast<unsigned>(format::kOccurrence))
    return;
  counter_.add(record.thread, record.kind, record.flags);
  const std::uint64_t passed = counter_.passed(record.thread), descent = descent_of(record.thread);
  for (std::size_t i = 0; i < anomaly_.size(); ++i) {
    const ExpectedEvent& expected = anomaly_[i];
    if (met_[i].order != 0 || expected.descent != descent || expected.passed != passed || expected.kind != record.kind)
      continue;
    const bool same_site = expected.site == record.site || !format::is_access(record.kind);
    met_[i] = {events_, record.object, same_site};
  }
}

bool AnomalyWatch::happened() const {
  for (std::size_t i = 0; i < met_.size(); ++i) {
    if (met_[i].order == 0 || !met_[i].as_expected) return false;
    if (i > 0 && met_[i].order <= met_[i - 1].order) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (anomaly_[i].object == anomaly_[j].object && met_[i].object != met_[j].object) return false;
  }
  return true;
}

std::size_t AnomalyWatch::first_missing() const {
  for (std::size_t i = 0; i < met_.size(); ++i)
    if (met_[i].order == 0 || !met_[i].as_expected || (i > 0 && met_[i].order <= met_[i - 1].order)) return i;
  return met_.size();
}

}  // namespace heddle::validate
