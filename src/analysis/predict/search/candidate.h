#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "predict/heuristics.h"
#include "predict/witness/goal.h"

namespace heddle::predict {

// The cause kinds of findings. Order: two conflicting accesses in the opposite order of the trace. That is not an
// anomaly by itself, but a place where a run may leave the paths of the trace.
enum class AnomalyKind : std::uint8_t { DataRace, Atomicity, MultiVariable, UseAfterFree, Deadlock, LostWakeup, Order };
inline constexpr unsigned kAnomalyKinds = 7;

const char* anomaly_kind_word(AnomalyKind kind);

// How two conflicting accesses race. In C++ it is a data race if either is plain; relaxed atomics are not a race, but
// order nothing.
enum class RaceKind : std::uint8_t { Plain, Mismatched, Relaxed };

// One possible anomaly by its source lines, with some of the places in the trace where it may happen.
struct AnomalyCandidate {
  AnomalyKind kind = AnomalyKind::DataRace;
  std::string pattern = {};           // name; for atomic sets, see atomic_set_label()
  std::optional<UnitKind> unit = {};  // kind of the broken unit
  RaceKind race = RaceKind::Plain;    // of races
  std::vector<Goal> instances = {};   // the most promising first
};

// The identity of a candidate: a hash over its lines and its other distinguishing properties.
class CandidateKey {
 public:
  CandidateKey(std::initializer_list<std::uint64_t> words) {
    for (const std::uint64_t word : words) hash_.add(word);
  }
  void add(std::uint64_t word) { hash_.add(word); }
  std::uint64_t value() const { return hash_.value(); }

 private:
  EventHash hash_;
};

// Candidates by key, within the limits.
class CandidateSet {
 public:
  explicit CandidateSet(const CandidateLimits& limits = {}) : limits_(limits) {}

  // True if another instance of it would be kept. Searches ask before they make expensive checks.
  bool wants(const CandidateKey& key) const {
    const auto known = index_.find(key.value());
    return known == index_.end() || all_[known->second].instances.size() < limits_.instances_max;
  }
  // `prototype` has no instances; it is used if the key is new.
  void add(const CandidateKey& key, const AnomalyCandidate& prototype, Goal instance);

  const std::vector<AnomalyCandidate>& all() const { return all_; }

 private:
  const CandidateLimits limits_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<AnomalyCandidate> all_;
  std::size_t of_kind_[kAnomalyKinds] = {};
};

}  // namespace heddle::predict
