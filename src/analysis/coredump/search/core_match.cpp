#include "coredump/search/core_match.h"

namespace heddle::coredump {
namespace {

bool is_same_failure(const run::Outcome& a, const run::Outcome& b) {
  return a.kind == b.kind && a.signature == b.signature;
}

// Innermost first, without inlined ones: which of these are frames of their own depends on the build.
std::vector<std::string> own_functions(const std::vector<binary::SourceFrame>& stack) {
  std::vector<std::string> functions;
  for (const binary::SourceFrame& frame : stack)
    if (!frame.inlined && run::is_own_code(frame)) functions.push_back(frame.function);
  return functions;
}

}  // namespace

Match CoreMatch::of(const run::Outcome& outcome, const experiment::Plan& plan) const {
  if (is_same_failure(outcome, core_.outcome)) return Match::Signature;
  if (outcome.kind != format::OutcomeKind::UseAfterFree) return Match::No;
  const Result<Rerun> further = reruns_.run(plan, Reruns::Freed::Ignored);
  if (further && is_same_failure(further->outcome, core_.outcome)) return Match::Consequence;
  const Result<Rerun> at_use = reruns_.run(plan, Reruns::Freed::Ends);
  const std::vector<std::string> functions = own_functions(core_.stack);
  return at_use && !functions.empty() && own_functions(at_use->stack) == functions ? Match::FreedUse : Match::No;
}

}  // namespace heddle::coredump
