#pragma once
// From a model to predictions: the contract of this module with those who execute and report them.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "predict/search/candidate.h"
#include "predict/search/deadlock_search.h"
#include "predict/search/pattern.h"
#include "predict/witness/witness_finder.h"

namespace heddle::predict {

struct PredictOptions {
  std::vector<AnomalyPattern> patterns;                  // beside the built-in ones
  unsigned unit_kinds = (1u << kUnitKinds) - 1;          // bit per UnitKind
  WitnessStrength weakest = WitnessStrength::LocksOnly;  // how far down the ladder a witness may be looked for
  CandidateLimits candidates;
  DeadlockLimits deadlocks;
  WitnessEffort effort;
  // Candidates that it says no to are left out: for whoever already knows that they can happen. None: all are tried.
  std::function<bool(const Candidate&)> wanted = {};
};

// An event of an anomaly. `site` of a synchronisation is that of the last access of its thread before it, when the
// trace has none for it.
struct AnomalyEvent {
  ThreadId thread;
  trace::StepIndex step;
  SiteId site;
  NodeKind kind;
};

// An anomaly that some other order of the trace's events has, with a schedule that leads there. It is a claim until it
// has been executed; its strength says how good a claim.
struct Prediction {
  AnomalyKind kind = AnomalyKind::DataRace;
  std::string pattern;           // name of a pattern, "6" ... "14" or "other" (atomic sets), or what kind of deadlock
  std::optional<UnitKind> unit;  // that is broken
  RaceKind race = RaceKind::Plain;
  std::vector<AnomalyEvent> events;  // in the order of the witness
  Witness witness;
  std::vector<Goal> further;  // the same at other places of the trace, which no witness was looked for yet
};

struct Predictions {
  std::vector<Prediction> found;               // strict ones first
  std::size_t candidates[kAnomalyKinds] = {};  // by AnomalyKind; those without a witness are not in `found`
  std::size_t dropped = 0;                     // candidates beyond the limits
  ModelGaps gaps;                              // strengths that were left out for want of data
  double search_seconds = 0;                   // for candidates
  std::vector<double> schedule_seconds;        // for each candidate in turn, with or without success
};

Predictions predict(const Model& model, const PredictOptions& options);

// The same anomaly at the other places where the trace has its lines, as far as there are witnesses.
std::vector<Prediction> predict_further(const Model& model, const Prediction& prediction,
                                        const PredictOptions& options);

// Orders that are not the trace's (AnomalyKind::Order): for whoever looks for what the trace does not contain.
Predictions predict_orders(const Model& model, const PredictOptions& options);

}  // namespace heddle::predict
