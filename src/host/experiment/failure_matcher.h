#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "format/run_result.h"
#include "run/verdict/outcome.h"

namespace heddle::experiment {

// Equal for failures of the same kind at the same place of one build; 0 if the run did not fail. Computed from raw
// addresses, so that it needs no debug information, unlike a signature.
std::uint64_t failure_key(const run::Outcome& outcome, const format::SessionResult& result);

// True if both runs failed in the same way: the same kind at the same place. REQUIRES: both have their signatures.
bool is_same_failure(const run::Outcome& a, const run::Outcome& b);

// Distinguishes the wanted failure from others. A signature needs debug information, so most runs have a failure key
// only. The matcher learns once for each key whether it stands for the wanted failure.
class FailureMatcher {
 public:
  explicit FailureMatcher(run::Outcome wanted) : wanted_(std::move(wanted)) {}
  // `key`: of the run that ended with `wanted`.
  FailureMatcher(run::Outcome wanted, std::uint64_t key) : wanted_(std::move(wanted)) { by_key_[key] = true; }

  const run::Outcome& wanted() const { return wanted_; }
  // nullopt: `outcome` has no signature and its key is unknown; the caller gets the signature and calls learn().
  std::optional<bool> matches(const run::Outcome& outcome, std::uint64_t key) const;
  // Records whether the key stands for the wanted failure, and returns it. REQUIRES: `outcome` has its signature.
  bool learn(std::uint64_t key, const run::Outcome& outcome);

 private:
  run::Outcome wanted_;
  std::unordered_map<std::uint64_t, bool> by_key_;
};

}  // namespace heddle::experiment
