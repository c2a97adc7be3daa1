#pragma once
// Algorithm 2 of multicore dumps: sets of preemptions in ascending order of weight, each tried with the threads that
// could disturb the block which it leads; and plain CHESS on the same candidates, to compare.
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "coredump/search/candidates.h"
#include "coredump/search/rerun.h"
#include "experiment/trial_runner.h"

namespace heddle::coredump {

enum class SearchMethod : std::uint8_t { Chess, Dependence, Temporal };
const char* search_word(SearchMethod method);
bool parse_search(const std::string& word, SearchMethod& method);

// What counts as the same failure.
enum class Match : std::uint8_t {
  No,
  FreedUse,     // freed memory is used by the same chain of functions; what was there in the core's run nobody knows
  Consequence,  // freed memory is used, and what comes of it is what the core shows
  Signature,    // the kind and the program's own innermost lines
};

struct SearchOptions {
  SearchMethod method = SearchMethod::Dependence;
  unsigned preemptions_max = 2;
  std::uint64_t tries_max = 100'000;
  std::chrono::milliseconds time{0};  // 0: no bound
};

struct SearchReport {
  std::uint64_t tries = 0;
  double seconds = 0;
  bool exhausted = false;  // everything up to the bound was tried
  std::uint64_t other_failures = 0;
  std::optional<experiment::Schedule> schedule;  // the one that fails as the core says
  std::size_t space = 0;                         // in which it was found
  Match match = Match::No;
  run::Outcome outcome;
};

// Runs schedules of a search and tells the failure that the core shows from others.
class SearchTrials {
 public:
  using Matches = std::function<Match(const run::Outcome&, const experiment::Schedule&)>;
  // `passing`: a run that takes much longer is given up.
  SearchTrials(const binary::ProgramFile& program, const run::RunOptions& options, run::Runner& runner,
               const Rerun& passing, Matches matches);

  Status start() { return trials_.start(); }
  // Whether it was not asked for before, in this search or another one.
  bool is_new(const experiment::Schedule& schedule) { return seen_.insert(experiment::fingerprint(schedule)).second; }
  Result<Match> run(const experiment::Schedule& schedule, run::Outcome& outcome);

 private:
  experiment::TrialRunner trials_;
  experiment::TrialRunner apart_;  // for what decides whether it is the failure
  Matches matches_;
  std::set<std::uint64_t> seen_;    // fingerprints
  std::set<std::uint64_t> others_;  // keys of failures that are not the wanted one
};

// A passing run and where it may be preempted.
struct SearchSpace {
  const Rerun* passing;
  std::size_t run;  // which of the compared runs that is
  CandidateList list;
  // After the preemptions the failing thread goes first, and others are stopped where the core shows them: before this
  // one of their points, by thread. Empty: one thread after the other.
  std::map<std::uint32_t, std::uint32_t> stops = {};
  std::uint32_t failing = 0;
  // The first preemption comes before this position of the run: from there on it is no longer what the core shows.
  std::size_t first_before = ~std::size_t{0};
  // Where the second preemption lets the thread go on that was stopped at the first, it is also tried with that thread
  // stopped again behind the block that was held back: then the other one is in the middle of something again.
  bool returns = false;
};

// With one preemption each, of another thread than `to`, which goes on then; lightest first.
std::vector<experiment::Schedule> preemptions_to(std::uint32_t to, const SearchSpace& space, std::size_t schedules_max);

// The spaces take turns, each with its own order of sets. REQUIRES: an InterruptGuard lives.
Result<SearchReport> search(const std::vector<SearchSpace>& spaces, const SearchOptions& options, const StopToken& stop,
                            SearchTrials& trials, const std::function<void(std::uint64_t)>& show);

}  // namespace heddle::coredump
