#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "run/verdict/outcome.h"

namespace heddle::experiment {

// Whether two runs failed in the same way: the same kind at the same place. REQUIRES: both have their signatures.
bool is_same_failure(const run::Outcome& a, const run::Outcome& b);

// Tells the failure that is looked for from others. A signature takes debug information, so that many runs are known by
// their failure key only: what one key stands for is learned once.
class FailureMatcher {
 public:
  explicit FailureMatcher(run::Outcome wanted) : wanted_(std::move(wanted)) {}
  // `key`: of the run that ended with `wanted`.
  FailureMatcher(run::Outcome wanted, std::uint64_t key) : wanted_(std::move(wanted)) { by_key_[key] = true; }

  const run::Outcome& wanted() const { return wanted_; }
  // nullopt: not known without the signature, which `outcome` does not have; then learn() says.
  std::optional<bool> matches(const run::Outcome& outcome, std::uint64_t key) const;
  // Of a run with this key whose outcome has its signature.
  bool learn(std::uint64_t key, const run::Outcome& outcome);

 private:
  run::Outcome wanted_;
  std::unordered_map<std::uint64_t, bool> by_key_;
};

}  // namespace heddle::experiment
