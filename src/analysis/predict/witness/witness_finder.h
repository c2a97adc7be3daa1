#pragma once
#include <optional>

#include "predict/heuristics.h"
#include "predict/witness/witness.h"

namespace heddle::predict {

// Builds schedules. First by PECAN's own algorithms, which suffice where locks are nested and little has to move. Then
// by search: the goal is closed backwards under what it needs, the order is completed, and played. The search begins
// with a window as small as the distance of the goal's events, everything before it being as in the trace, and widens
// it while locks are what stands in the way.
class WitnessFinder {
 public:
  explicit WitnessFinder(const Model& model, const WitnessEffort& effort = {}) : model_(model), effort_(effort) {}

  // The first strength from `first` to `last` that has a schedule. Strengths that the trace has no data for are left
  // out.
  std::optional<Witness> find(const Goal& goal, WitnessStrength first = WitnessStrength::Strict,
                              WitnessStrength last = WitnessStrength::LocksOnly) const;

 private:
  std::optional<Witness> find_at(const Goal& goal, WitnessStrength strength) const;
  bool is_ruled_out_by_order(const Goal& goal, WitnessStrength strength, NodeId start) const;
  std::optional<Witness> search(const Goal& goal, WitnessStrength strength, const WitnessEffort& effort) const;
  struct Budget {
    std::uint64_t steps, nodes;
  };
  std::optional<Witness> search_from(const Goal& goal, WitnessStrength strength, NodeId start,
                                     const WitnessEffort& effort, Budget& left) const;
  bool has_data_for(WitnessStrength strength) const;

  const Model& model_;
  const WitnessEffort effort_;
};

}  // namespace heddle::predict
