#pragma once
#include <optional>

#include "predict/heuristics.h"
#include "predict/witness/witness.h"

namespace heddle::predict {

// Builds schedules for goals. First with PECAN's algorithms, which suffice if locks are nested and few nodes must move
// (nested_schedule.h). Then by search, in three steps: close the goal backwards under what it needs (cut.h), derive the
// implied order (saturate() in window.h), and play the nodes (order_search.h). The search begins with a window as small
// as the distance of the goal's events, with everything before it as in the trace, and widens it by kWiden, since a
// wider window permits other orders of critical sections. The limits of WitnessEffort apply to one goal and strength.
class WitnessFinder {
 public:
  explicit WitnessFinder(const Model& model, const WitnessEffort& effort = {}) : model_(model), effort_(effort) {}

  // A witness of the first strength from `first` to `last` that has a schedule. Skips strengths for which the trace has
  // no data.
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
