#include "experiment/failure_matcher.h"

namespace heddle::experiment {

bool is_same_failure(const run::Outcome& a, const run::Outcome& b) {
  return a.kind == b.kind && a.signature == b.signature;
}

std::optional<bool> FailureMatcher::matches(const run::Outcome& outcome, std::uint64_t key) const {
  if (outcome.kind != wanted_.kind) return false;
  if (!outcome.signature.empty()) return outcome.signature == wanted_.signature;
  const auto known = by_key_.find(key);
  return known != by_key_.end() ? std::optional(known->second) : std::nullopt;
}

bool FailureMatcher::learn(std::uint64_t key, const run::Outcome& outcome) {
  return by_key_[key] = is_same_failure(outcome, wanted_);
}

}  // namespace heddle::experiment
