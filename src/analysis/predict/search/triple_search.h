#pragma once
#include <span>

#include "predict/model/contention.h"
#include "predict/search/candidate.h"
#include "predict/search/pattern.h"

namespace heddle::predict {

// Two accesses of one unit with one of another thread that may come between them (PECAN's Algorithm 2), on one
// location, where a pattern asks for their kinds. `unit_kinds`: bit per UnitKind that is looked at.
//
// Linear in the units' accesses: of a unit, an access is paired with the one before it on its location and with the
// latest before it of the other kind; of pairs with equal sites and location only the first, second, fourth, ... are
// looked at more closely, and each only beside its neighbours on that location.
void find_triples(const Model& model, std::span<const AnomalyPattern> patterns, unsigned unit_kinds,
                  const Contention& contention, CandidateSet& candidates);

}  // namespace heddle::predict
