#pragma once
#include <optional>

#include "explain/cause.h"
#include "explain/trials/trial_oracle.h"
#include "support/result.h"

namespace heddle::explain {

// Searches for a change of the schedule that makes the program pass; nullopt: none was found. Not for deadlocks.
Result<std::optional<CauseDraft>> search_cause(TrialOracle& oracle, const ObservedPtr& failing);

}  // namespace heddle::explain
