#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "predict/witness/goal.h"
#include "trace/event.h"

namespace heddle::predict {

// `thread` goes on until all its events with a step below `end` have happened. Steps are those of the trace.
struct WitnessRun {
  ThreadId thread;
  trace::StepIndex end;
  bool operator==(const WitnessRun&) const = default;
};

// A schedule that leads to an anomaly, in terms of the trace that it was predicted from:
//   1. all events with a step below `prefix_end`, as in the trace;
//   2. the runs, one after the other;
//   3. for anomalies that are a meeting (races, deadlocks): each thread of `anomaly` is now about to do its event; for
//      a race they happen in this order, and the reverse order is as possible. For others the events of `anomaly`
//      are part of the runs, in this order, and the last run ends with the last of them.
struct Witness {
  WitnessStrength strength = WitnessStrength::Strict;
  trace::StepIndex prefix_end = 0;
  std::vector<WitnessRun> runs;
  std::vector<trace::StepIndex> anomaly;
  bool meeting = false;
};

// The same as a list of steps, one for each event in the order of the schedule; for a meeting `anomaly` is at its end.
// Linear in the trace: for tests, and for small traces.
std::vector<trace::StepIndex> expand(const Witness& witness, const std::vector<trace::Event>& trace);

// An order of nodes as a witness: everything before `start` as in the trace, then `order`.
Witness make_witness(const Model& model, const Goal& goal, WitnessStrength strength, NodeId start,
                     const std::vector<NodeId>& order);

// Whether the order could have happened, by the rules of its strength, and reaches the goal. Plays it naively: the
// judge of the quick algorithms, and of everything in tests.
bool is_possible(const Model& model, const Goal& goal, WitnessStrength strength, NodeId start,
                 const std::vector<NodeId>& order);

}  // namespace heddle::predict
