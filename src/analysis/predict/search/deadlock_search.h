#pragma once
#include "predict/heuristics.h"
#include "predict/search/candidate.h"

namespace heddle::predict {

// Threads that may come to wait for each other. A dependency is "holding these locks, wants that one"; joining a thread
// is wanting what it holds all its life, so that a join with a lock held that the other thread takes is a cycle like
// any other. Only locks in a cycle of the lock order are looked at closely: an acyclic order costs one pass. A cycle
// has distinct threads and no lock that two of them hold (a gate), reader-writer locks by mode.
//
// And notifications that may be lost: a wait that was ended by a notify which could have come before it with none after
// (AnomalyKind::LostWakeup); a wait with a lock held that the notifier needs first (a Deadlock of the two).
void find_deadlocks(const Model& model, const DeadlockLimits& limits, CandidateSet& candidates);

}  // namespace heddle::predict
