#pragma once
// The searches for candidates; each puts what it finds into `candidates`.
#include <span>

#include "predict/model/contention.h"
#include "predict/search/candidate.h"
#include "predict/search/pattern.h"
#include "predict/search/unit_classes.h"

namespace heddle::predict {

// Pairs of accesses of two threads to one location, one of them a write, that neither a lock nor the partial order
// separates (PECAN's Algorithm 1), if a pattern has their kinds; and accesses that a free may overtake.
void find_races(const Model& model, std::span<const AnomalyPattern> patterns, const Contention& contention,
                CandidateSet& candidates);

// Two accesses of one unit and one of another thread that may come between them (PECAN's Algorithm 2), on one location,
// if a pattern has their kinds. `unit_kinds`: bit per UnitKind that is searched.
void find_triples(const Model& model, std::span<const AnomalyPattern> patterns, unsigned unit_kinds,
                  const Contention& contention, CandidateSet& candidates);

// The locations that a unit touches form one atomic set. Two units violate it if each precedes the other: on one
// location an access of u precedes a conflicting one of v, on another location one of v precedes one of u.
void find_atomic_set_violations(const Model& model, const UnitClasses& units, CandidateSet& candidates);
// The pattern name of these candidates, until a witness gives the order of their accesses.
inline constexpr const char* kAtomicSetPattern = "atomic-set";

struct UnitEvent {
  bool second_unit;
  bool second_location;
  Access access;
};
// The published name of an order of four accesses by two units: "6" to "14", or "other". The unit and the location of
// the first event count as the first ones.
std::string atomic_set_label(const std::array<UnitEvent, 4>& order);

// Patterns that are neither races nor triples.
void find_pattern_matches(const Model& model, std::span<const AnomalyPattern> patterns, const UnitClasses& units,
                          CandidateSet& candidates);

// Threads that may wait for each other in a cycle, and notifications that may be lost.
void find_deadlocks(const Model& model, const DeadlockLimits& limits, CandidateSet& candidates);

// Pairs of accesses of different threads that see or leave a different value in the other order: a read and its write,
// a read and the next write, two consecutive writes. Locks do not matter, because their sections can change places.
// Some of these orders lead to code that the trace did not execute.
void find_flips(const Model& model, CandidateSet& candidates);

}  // namespace heddle::predict
