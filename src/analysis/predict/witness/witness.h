#pragma once
#include <vector>

#include "base/ids.h"
#include "predict/witness/goal.h"
#include "trace/event.h"

namespace heddle::predict {

// `thread` runs until all its events with a step below `end` have happened. Steps are those of the trace.
struct WitnessRun {
  ThreadId thread;
  trace::StepIndex end;
};

// A schedule that leads to an anomaly, in terms of the trace that it is predicted from:
//   1. all events with a step below `prefix_end`, as in the trace;
//   2. the runs, one after the other;
//   3. if `meeting` (races, deadlocks): each thread of `anomaly` is about to do its event; those of a race happen in
//   this
//      order, and the reverse order is possible too. Otherwise the events of `anomaly` are part of the runs, in this
//      order, and the last run ends with the last event.
struct Witness {
  WitnessStrength strength = WitnessStrength::Strict;
  trace::StepIndex prefix_end = 0;
  std::vector<WitnessRun> runs;
  std::vector<trace::StepIndex> anomaly;
  bool meeting = false;
};

// The witness that follows the trace before `start`, and then `order`.
Witness make_witness(const Model& model, const Goal& goal, WitnessStrength strength, NodeId start,
                     const std::vector<NodeId>& order);

// True if the order can happen, by the rules of its strength, and reaches the goal. Plays it naively: the oracle for
// the fast algorithms, and for all algorithms in tests.
bool is_possible(const Model& model, const Goal& goal, WitnessStrength strength, NodeId start,
                 const std::vector<NodeId>& order);

}  // namespace heddle::predict
