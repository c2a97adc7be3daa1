#pragma once
#include <span>

#include "predict/model/contention.h"
#include "predict/search/candidate.h"
#include "predict/search/pattern.h"

namespace heddle::predict {

// Pairs of accesses of two threads to one location, one of them writing, that neither a lock nor the partial order
// keeps apart (PECAN's Algorithm 1), where a pattern asks for their kinds; and accesses that a free may overtake.
//
// Linear in the accesses: each is compared with the one before it by another thread; beyond that accesses of one site,
// lockset and kind are a class per location, a few of each thread stand for all, and classes are compared, not events.
void find_races(const Model& model, std::span<const AnomalyPattern> patterns, const Contention& contention,
                CandidateSet& candidates);

}  // namespace heddle::predict
