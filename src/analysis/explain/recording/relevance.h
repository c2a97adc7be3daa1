#pragma once
// Which events of a failing run its failure depends on, by slicing (src/analysis/slice/).
#include <optional>
#include <vector>

#include "explain/recording/recording.h"
#include "explain/trials/program_oracle.h"

namespace heddle::explain {

struct Relevance {
  std::vector<std::optional<bool>> by_event;  // of the recording; nullopt: it is nothing that a slice tells of
  std::uint64_t events = 0;                   // accesses and synchronisation
  std::uint64_t relevant = 0;                 // of them, that the failure depends on
};

// Executes the program once more. Nullopt: it does not tell how its values flow (HEDDLE_HOOKS=branches), or did not do
// the same again.
std::optional<Relevance> find_relevant(const Recording& recording, ProgramOracle& oracle);

}  // namespace heddle::explain
