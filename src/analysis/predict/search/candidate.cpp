#include "predict/search/candidate.h"

#include <iterator>

namespace heddle::predict {

const char* anomaly_kind_word(AnomalyKind kind) {
  constexpr const char* kWords[] = {"data_race", "atomicity",   "multi_variable", "use_after_free",
                                    "deadlock",  "lost_wakeup", "order"};
  static_assert(std::size(kWords) == kAnomalyKinds);
  return kWords[static_cast<unsigned>(kind)];
}

void CandidateSet::add(const CandidateKey& key, const AnomalyCandidate& prototype, Goal instance) {
  const auto known = index_.find(key.value());
  if (known != index_.end()) {
    AnomalyCandidate& candidate = all_[known->second];
    if (candidate.instances.size() < limits_.instances_max) candidate.instances.push_back(std::move(instance));
    return;
  }
  std::size_t& count = of_kind_[static_cast<unsigned>(prototype.kind)];
  if (count >= limits_.candidates_max) return;
  ++count;
  index_[key.value()] = all_.size();
  all_.push_back(prototype);
  all_.back().instances.push_back(std::move(instance));
}

}  // namespace heddle::predict
