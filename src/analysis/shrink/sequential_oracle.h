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

// An order in which threads run until they block, one after the other.
struct SequentialOrder {
  format::StrategyKind strategy = format::StrategyKind::Sequential;
  std::uint64_t seed = 0;
};

// The second half of the criterion (LEAN, Definition 2): the program passes when its threads run in sequence, and
// reaches the place where the failure was checked for.
class SequentialOracle {
 public:
  SequentialOracle(FailureTrials& trials, Recorder& recorder, Budget& budget)
      : trials_(trials), recorder_(recorder), budget_(budget) {}

  // An order in which the program passes with all its threads.
  std::optional<SequentialOrder> find_passing_order(const RunProfile& failing);
  // Another order in which the whole program passes as well: the thread that ran first in the failing run may have to
  // run first. At most once, and not where the whole program takes long. REQUIRES: `order` comes from
  // find_passing_order().
  bool change_order(SequentialOrder& order, const RunProfile& failing);
  // Threads that supply the failing threads' data in a passing run of the whole program: descent names. Where that is
  // long it takes a run to find out, which is made once, if it can be afforded.
  const std::vector<std::string>& near_when_passing(const SequentialOrder& order, const RunProfile& failing);
  // Passes when these threads are missing, and has reached the check.
  bool passes(const SequentialOrder& order, const clip::Omitted& omitted);
  // True unless a sequential run has already shown that it fails.
  bool may_pass(const clip::Omitted& omitted) const { return !failing_.contains(fingerprint_of(omitted)); }

 private:
  // Whether the program passes in this order. If so, learns up to where it did the same as the failing run: the last
  // access of the thread that failed at a site that this run has reached as well. There the failure was checked for,
  // whatever the failing run did afterwards.
  bool learn_check(const SequentialOrder& order, const RunProfile& failing);
  // Whether the run in this order passes.
  bool run(const SequentialOrder& order, const clip::Omitted& omitted, run::RingSink& sink,
           format::SessionProgress* progress = nullptr);
  void learn_near(const RunProfile& failing, const Communication& passing, const run::Decisions& decisions);

  FailureTrials& trials_;
  Recorder& recorder_;
  Budget& budget_;
  std::unordered_set<std::uint64_t> failing_;  // fingerprints of what is omitted
  std::optional<std::vector<std::string>> near_when_passing_;
  std::uint32_t check_site_ = 0;  // 0: not known
  bool order_changed_ = false;
};

}  // namespace heddle::shrink
