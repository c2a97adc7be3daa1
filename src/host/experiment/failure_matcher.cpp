#include "experiment/failure_matcher.h"

#include <algorithm>

#include "base/hash.h"

namespace heddle::experiment {
namespace {

using format::OutcomeKind;

std::uint64_t key_of_stack(const format::StackFrames& stack, std::uint64_t seed) {
  const std::uint32_t count = std::min(stack.count, format::kFramesMax);
  return hash_bytes(reinterpret_cast<const char*>(stack.pc), count * sizeof stack.pc[0], seed);
}

}  // namespace

std::uint64_t failure_key(const run::Outcome& outcome, const format::SessionResult& result) {
  if (!outcome.failed()) return 0;
  const std::uint64_t kind = static_cast<std::uint64_t>(outcome.kind) << 32 |
                             static_cast<std::uint32_t>(outcome.exit_code * 256 + outcome.signal);
  std::uint64_t key = key_of_stack(result.stack, hash_bytes(reinterpret_cast<const char*>(&kind), sizeof kind));
  if (outcome.kind != OutcomeKind::Deadlock && outcome.kind != OutcomeKind::LostWakeup) return key;
  // Which thread detects that no thread can run is random; where each of them waits is not.
  key = kind;
  const std::uint32_t count = std::min(result.report_count, format::kReportedThreadsMax);
  for (std::uint32_t i = 0; i < count; ++i)
    if (static_cast<int>(result.reports[i].waits_for) != 0) key += key_of_stack(result.reports[i].stack, 1);
  return key;
}

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
