#include "predict/search/candidate.h"

namespace heddle::predict {

const char* anomaly_kind_word(AnomalyKind kind) {
  switch (kind) {
    case AnomalyKind::DataRace:
      return "data_race";
    case AnomalyKind::Atomicity:
      return "atomicity";
    case AnomalyKind::MultiVariable:
      return "multi_variable";
    case AnomalyKind::UseAfterFree:
      return "use_after_free";
    case AnomalyKind::Deadlock:
      return "deadlock";
    case AnomalyKind::LostWakeup:
      return "lost_wakeup";
    case AnomalyKind::Order:
      return "order";
  }
  return "";
}

void CandidateSet::add(const CandidateKey& key, const Candidate& prototype, Goal instance) {
  const auto known = index_.find(key.value());
  if (known != index_.end()) {
    Candidate& candidate = all_[known->second];
    if (candidate.instances.size() < limits_.instances_max) candidate.instances.push_back(std::move(instance));
    return;
  }
  std::size_t& count = of_kind_[static_cast<unsigned>(prototype.kind)];
  if (count >= limits_.candidates_max) {
    ++dropped_;
    return;
  }
  ++count;
  index_[key.value()] = all_.size();
  all_.push_back(prototype);
  all_.back().instances.push_back(std::move(instance));
}

}  // namespace heddle::predict
