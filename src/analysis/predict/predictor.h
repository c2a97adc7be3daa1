#pragma once
// From a model to predictions: the interface of this module for execution and reports.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "predict/search/candidate.h"
#include "predict/search/pattern.h"
#include "predict/witness/witness_finder.h"

namespace heddle::predict {

struct PredictOptions {
  std::vector<AnomalyPattern> patterns;                  // in addition to the built-in ones
  unsigned unit_kinds = (1u << kUnitKinds) - 1;          // bit per UnitKind
  WitnessStrength weakest = WitnessStrength::LocksOnly;  // the weakest strength that is searched for
  CandidateLimits candidates;
  DeadlockLimits deadlocks;
  WitnessEffort effort;
  // Skips the candidates for which it returns false. Empty: tries all.
  std::function<bool(const AnomalyCandidate&)> wanted = {};
};

// An event of an anomaly. A synchronisation without a site has the `site` of the last access of its thread.
struct AnomalyEvent {
  ThreadId thread;
  trace::StepIndex step;
  SiteId site;
  NodeKind kind;
};

// An anomaly in another order of the trace's events, with a schedule that leads to it. It is a claim until the schedule
// is executed; the strength of its witness rates the claim.
struct Prediction {
  AnomalyKind kind = AnomalyKind::DataRace;
  std::string pattern;           // name of a pattern, "6" ... "14" or "other" (atomic sets), or the kind of deadlock
  std::optional<UnitKind> unit;  // kind of the broken unit
  RaceKind race = RaceKind::Plain;
  std::vector<AnomalyEvent> events;  // in the order of the witness
  Witness witness;
  std::vector<Goal> further;  // the same anomaly at other places of the trace, not searched yet
};

struct Predictions {
  std::vector<Prediction> found;               // strict ones first
  std::size_t candidates[kAnomalyKinds] = {};  // by AnomalyKind, with and without a witness
  std::vector<double> schedule_seconds;        // for each candidate in order, with or without a witness
};

Predictions predict(const Model& model, const PredictOptions& options);

// The same anomaly at its other places in the trace, as far as they have witnesses.
std::vector<Prediction> predict_further(const Model& model, const Prediction& prediction,
                                        const PredictOptions& options);

// Orders that differ from the trace (AnomalyKind::Order), which may lead to code that the trace did not execute.
Predictions predict_orders(const Model& model, const PredictOptions& options);

}  // namespace heddle::predict
