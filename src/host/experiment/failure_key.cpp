#include "experiment/failure_key.h"

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
  key = kind;  // who found out that nobody can run is chance; where everybody waits is not
  const std::uint32_t count = std::min(result.report_count, format::kReportedThreadsMax);
  for (std::uint32_t i = 0; i < count; ++i)
    if (static_cast<int>(result.reports[i].waits_for) != 0) key += key_of_stack(result.reports[i].stack, 1);
  return key;
}

}  // namespace heddle::experiment
