#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "shrink/failure_trials.h"
#include "shrink/profile/run_profiler.h"
#include "shrink/recorder.h"

namespace heddle::shrink {

// An order in which the threads run one after the other, each until it blocks.
struct SequentialOrder {
  format::StrategyKind strategy = format::StrategyKind::Sequential;
  std::uint64_t seed = 0;
};

// Decides the second half of the criterion (LEAN, Definition 2): with the same threads and iterations omitted, the
// program passes when its threads run in sequence.
//
// A run passes only if it also reaches the check, because a run that ends earlier proves nothing. The check is the last
// access of the failing thread in the failing run at a site that the passing run of the whole program also reaches; the
// failing thread may have made further accesses after the check had failed. Deadlocks and lost wake-ups have no such
// place, so a good end is enough. A failing omission is remembered by its fingerprint and never run again.
class SequentialOracle {
 public:
  SequentialOracle(FailureTrials& trials, Recorder& recorder, Budget& budget)
      : trials_(trials), recorder_(recorder), budget_(budget) {}

  // Finds an order in which the program passes with all its threads.
  std::optional<SequentialOrder> find_passing_order(const FailureProfile& failing);
  // Replaces `order` by another order in which the whole program passes, because the reduced program may need a certain
  // thread to run first. Works at most once, and not if sequential runs of the whole program are long. REQUIRES:
  // `order` comes from find_passing_order().
  bool change_order(SequentialOrder& order, const FailureProfile& failing);
  // Descent names of the threads that supply the failing threads' data in a passing run of the whole program. For a
  // long original this takes one more run, which is made once if the budget permits it.
  const std::vector<std::string>& near_when_passing(const SequentialOrder& order, const FailureProfile& failing);
  // True if the program passes without these threads and iterations, and reaches the check.
  bool passes(const SequentialOrder& order, const clip::Omitted& omitted);
  // True unless a sequential run has already shown that it fails.
  bool may_pass(const clip::Omitted& omitted) const { return !failing_.contains(fingerprint_of(omitted)); }

 private:
  // Runs the whole program in this order. If it passes, learns the site of the check and returns true.
  bool learn_check(const SequentialOrder& order, const FailureProfile& failing);
  // The run in this order; nullopt if it does not pass.
  std::optional<experiment::Trial> run(const SequentialOrder& order, const clip::Omitted& omitted, run::RingSink& sink);
  void learn_near(const FailureProfile& failing, const Communication& passing, const run::Decisions& decisions);

  FailureTrials& trials_;
  Recorder& recorder_;
  Budget& budget_;
  std::unordered_set<std::uint64_t> failing_;  // fingerprints of omissions
  std::optional<std::vector<std::string>> near_when_passing_;
  std::uint32_t check_site_ = 0;  // 0: unknown
  bool order_changed_ = false;
};

}  // namespace heddle::shrink
