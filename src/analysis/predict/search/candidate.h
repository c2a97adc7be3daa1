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

// The cause kinds of findings. Order: two conflicting accesses the other way round than in the trace. That is no
// anomaly by itself, only where a run may leave the ways that the trace took.
enum class AnomalyKind : std::uint8_t { DataRace, Atomicity, MultiVariable, UseAfterFree, Deadlock, LostWakeup, Order };
inline constexpr unsigned kAnomalyKinds = 7;

const char* anomaly_kind_word(AnomalyKind kind);

// What makes two conflicting accesses a race: C++ calls it one when either is plain; relaxed atomics are none, but
// order nothing.
enum class RaceKind : std::uint8_t { Plain, Mismatched, Relaxed };

// One anomaly by source lines, and some of the places in the trace where it may be brought about.
struct Candidate {
  AnomalyKind kind = AnomalyKind::DataRace;
  std::string pattern;              // its name; for atomic sets, see atomic_set_label()
  std::optional<UnitKind> unit;     // of work that would be broken
  RaceKind race = RaceKind::Plain;  // of races
  std::vector<Goal> instances;      // the most promising first
};

// The identity of a candidate: a hash over lines and what distinguishes it on them.
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

// Candidates by their source lines.
class CandidateSet {
 public:
  explicit CandidateSet(const CandidateLimits& limits = {}) : limits_(limits) {}

  // Whether another instance of it would be kept. Searches ask before they look any closer.
  bool wants(const CandidateKey& key) const {
    const auto known = index_.find(key.value());
    return known == index_.end() || all_[known->second].instances.size() < limits_.instances_max;
  }
  // `prototype` has no instances; it is used when the key is new.
  void add(const CandidateKey& key, const Candidate& prototype, Goal instance);

  std::vector<Candidate>& all() { return all_; }
  std::size_t dropped() const { return dropped_; }

 private:
  const CandidateLimits limits_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<Candidate> all_;
  std::size_t of_kind_[kAnomalyKinds] = {};
  std::size_t dropped_ = 0;
};

}  // namespace heddle::predict
