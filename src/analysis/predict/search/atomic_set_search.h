#pragma once
#include <array>
#include <string>

#include "predict/search/candidate.h"
#include "predict/search/pattern.h"
#include "predict/search/unit_classes.h"

namespace heddle::predict {

// All locations that a unit touches form one atomic set. Two units violate it when each comes before the other: on one
// location an access of u comes before a conflicting one of v, on another location one of v before one of u. This finds
// such pairs of conflicts that are in each other's reach, on two locations; those on one are triples.
// The pattern name of its candidates, until a witness tells the order.
inline constexpr const char* kAtomicSetPattern = "atomic-set";

void find_atomic_set_violations(const Model& model, const UnitClasses& units, CandidateSet& candidates);

struct UnitEvent {
  bool second_unit;      // v, where the first event is of u
  bool second_location;  // where the first event is on the first
  Access access;
};

// The published name of an order of four accesses by two units: "6" to "14", or "other". Any role may be called u and
// any location the first one.
std::string atomic_set_label(std::array<UnitEvent, 4> order);

}  // namespace heddle::predict
