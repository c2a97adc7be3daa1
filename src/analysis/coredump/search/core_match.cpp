#include "coredump/search/core_match.h"

#include "experiment/failure_matcher.h"

namespace heddle::coredump {
namespace {

// Innermost first. Skips inlined functions, because inlining depends on the build.
std::vector<std::string> own_functions(const std::vector<binary::SourceFrame>& stack) {
  std::vector<std::string> functions;
  for (const binary::SourceFrame& frame : stack)
    if (!frame.inlined && run::is_own_code(frame)) functions.push_back(frame.function);
  return functions;
}

}  // namespace

Match match_core(const CoreFacts& core, Reruns& reruns, const run::Outcome& outcome,
                 const experiment::Schedule& schedule) {
  if (experiment::is_same_failure(outcome, core.outcome)) return Match::Signature;
  if (outcome.kind != format::OutcomeKind::UseAfterFree) return Match::No;
  const Result<Rerun> further = reruns.run(schedule, Reruns::Freed::Ignored);
  if (further && experiment::is_same_failure(further->outcome, core.outcome)) return Match::Consequence;
  const Result<Rerun> at_use = reruns.run(schedule, Reruns::Freed::Ends);
  const std::vector<std::string> functions = own_functions(core.source_stack);
  return at_use && !functions.empty() && own_functions(at_use->stack) == functions ? Match::FreedUse : Match::No;
}

}  // namespace heddle::coredump
