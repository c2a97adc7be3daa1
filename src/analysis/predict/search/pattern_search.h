#pragma once
#include <span>

#include "predict/search/candidate.h"
#include "predict/search/pattern.h"
#include "predict/search/unit_classes.h"

namespace heddle::predict {

// Any other pattern: its units are matched with classes of units, its locations with locations that they share, and
// each event with the first or last access of its kind. Bounded per pattern.
void find_pattern_matches(const Model& model, std::span<const AnomalyPattern> patterns, const UnitClasses& units,
                          CandidateSet& candidates);

}  // namespace heddle::predict
