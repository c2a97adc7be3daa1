#pragma once
#include "predict/model/model.h"
#include "predict/search/candidate.h"

namespace heddle::predict {

// Pairs of accesses of different threads that would see or leave something else the other way round: a read and the
// write that it reads from, a read and the write that comes next, two writes in a row. Locks do not matter: their
// sections can change places. What a trace did not take is behind some of these.
void find_flips(const Model& model, CandidateSet& candidates);

}  // namespace heddle::predict
