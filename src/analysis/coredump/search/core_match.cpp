#include "coredump/search/core_match.h"

#include "experiment/failure_matcher.h"

namespace heddle::coredump {
namespace {

// Innermost first, without inlined ones: which of these are frames of their own depends on the build.
std::vector<std::string> own_functions(const std::vector<binary::SourceFrame>& stack) {
  std::vector<std::string> functions;
  for (const binary::SourceFrame& frame : stack)
    if (!frame.inlined && run::is_own_code(frame)) functions.push_back(frame.function);
  return functions;
}

}  // namespace

Match CoreMatch::of(const run::Outcome& outcome, const experiment::Schedule& schedule) const {
  if (experiment::is_same_failure(outcome, core_.outcome)) return Match::Signature;
  if (outcome.kind != format::OutcomeKind::UseAfterFree) return Match::No;
  const Result<Rerun> further = reruns_.run(schedule, Reruns::Freed::Ignored);
  if (further && experiment::is_same_failure(further->outcome, core_.outcome)) return Match::Consequence;
  const Result<Rerun> at_use = reruns_.run(schedule, Reruns::Freed::Ends);
  const std::vector<std::string> functions = own_functions(core_.stack);
  return at_use && !functions.empty() && own_functions(at_use->stack) == functions ? Match::FreedUse : Match::No;
}

}  // namespace heddle::coredump
