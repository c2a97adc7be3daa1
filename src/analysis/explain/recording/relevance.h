#pragma once
#include <optional>
#include <vector>

#include "explain/explanation.h"
#include "explain/recording/recording.h"
#include "explain/trials/program_oracle.h"

namespace heddle::explain {

struct Relevance {
  std::vector<std::optional<bool>> by_event;  // the failure depends on it; nullopt: slices do not cover this kind
  SliceSize size;
};

// Slices the recorded run (src/analysis/slice/), which needs another execution. nullopt: the program does not record
// the flow of its values (HEDDLE_HOOKS=branches), or the second execution differed.
std::optional<Relevance> find_relevant(const Recording& recording, ProgramOracle& oracle);

}  // namespace heddle::explain
