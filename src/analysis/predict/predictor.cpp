#include "predict/predictor.h"

#include <time.h>

#include <algorithm>
#include <span>

#include "predict/heuristics.h"
#include "predict/search/searches.h"

namespace heddle::predict {
namespace {

// CPU time of this thread, which does not depend on the load of the machine.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<NodeId> in_order_of_witness(const Model& model, const Goal& goal, const Witness& witness) {
  std::vector<NodeId> events = goal.events;
  std::ranges::sort(events, {}, [&](NodeId id) {
    return std::ranges::find(witness.anomaly, model.node(id).step) - witness.anomaly.begin();
  });
  return events;
}

std::string label_atomic_set(const Model& model, const Goal& goal, const std::vector<NodeId>& order) {
  // The goal is a1, b1, b2, a2.
  std::array<UnitEvent, 4> events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto place = std::ranges::find(goal.events, order[i]) - goal.events.begin();
    events[i].second_unit = place == 1 || place == 2;
    events[i].second_location = place >= 2;
    events[i].access = writes(model.node(order[i]).kind) ? Access::Write : Access::Read;
  }
  return atomic_set_label(events);
}

Prediction make_prediction(const Model& model, const AnomalyCandidate& candidate, const Goal& goal, Witness witness) {
  Prediction prediction{candidate.kind, candidate.pattern, candidate.unit, candidate.race, {}, std::move(witness), {}};
  const std::vector<NodeId> order = in_order_of_witness(model, goal, prediction.witness);
  if (candidate.pattern == kAtomicSetPattern) prediction.pattern = label_atomic_set(model, goal, order);
  for (const NodeId id : order) {
    const Node& node = model.node(id);
    prediction.events.push_back({ThreadId{node.thread}, node.step, model.sites[node.site], node.kind});
  }
  for (const Goal& instance : candidate.instances)
    if (&instance != &goal) prediction.further.push_back(instance);
  return prediction;
}

// The prediction with the best strength of all instances.
std::optional<Prediction> find_witness(const Model& model, const WitnessFinder& finder,
                                       const AnomalyCandidate& candidate, WitnessStrength weakest) {
  for (unsigned strength = 0; strength <= static_cast<unsigned>(weakest); ++strength) {
    const std::size_t count =
        strength == 0 ? candidate.instances.size() : std::min(candidate.instances.size(), kLooseInstances);
    for (const Goal& goal : std::span(candidate.instances).first(count)) {
      if (auto witness =
              finder.find(goal, static_cast<WitnessStrength>(strength), static_cast<WitnessStrength>(strength))) {
        return make_prediction(model, candidate, goal, std::move(*witness));
      }
    }
  }
  return std::nullopt;
}

Predictions find_witnesses(const Model& model, const CandidateSet& candidates, const PredictOptions& options) {
  Predictions predictions;
  const WitnessFinder finder(model, options.effort);
  for (const AnomalyCandidate& candidate : candidates.all()) {
    if (options.wanted && !options.wanted(candidate)) continue;
    ++predictions.candidates[static_cast<unsigned>(candidate.kind)];
    const double begin = thread_seconds();
    if (auto prediction = find_witness(model, finder, candidate, options.weakest))
      predictions.found.push_back(std::move(*prediction));
    predictions.schedule_seconds.push_back(thread_seconds() - begin);
  }
  std::ranges::sort(predictions.found, {}, [](const Prediction& p) {
    return std::tuple(p.witness.strength, p.race, p.kind, p.events.front().step, p.events.back().step);
  });
  return predictions;
}

}  // namespace

Predictions predict(const Model& model, const PredictOptions& options) {
  std::vector<AnomalyPattern> patterns = builtin_patterns();
  patterns.insert(patterns.end(), options.patterns.begin(), options.patterns.end());
  CandidateSet candidates(options.candidates);
  // Only a user's pattern can match accesses that do not conflict.
  const Contention contention(model, !options.patterns.empty());
  find_races(model, patterns, contention, candidates);
  find_triples(model, patterns, options.unit_kinds, contention, candidates);
  const UnitClasses units(model, options.unit_kinds, contention);
  find_atomic_set_violations(model, units, candidates);
  find_pattern_matches(model, patterns, units, candidates);
  find_deadlocks(model, options.deadlocks, candidates);
  return find_witnesses(model, candidates, options);
}

std::vector<Prediction> predict_further(const Model& model, const Prediction& prediction,
                                        const PredictOptions& options) {
  const WitnessFinder finder(model, options.effort);
  std::vector<Prediction> found;
  const AnomalyCandidate candidate{prediction.kind, prediction.pattern, prediction.unit, prediction.race};
  for (const Goal& goal : prediction.further)
    if (auto witness = finder.find(goal, WitnessStrength::Strict, options.weakest))
      found.push_back(make_prediction(model, candidate, goal, std::move(*witness)));
  return found;
}

Predictions predict_orders(const Model& model, const PredictOptions& options) {
  CandidateSet candidates(options.candidates);
  find_flips(model, candidates);
  return find_witnesses(model, candidates, options);
}

}  // namespace heddle::predict
