#pragma once
// Algorithm 2 of multicore dumps: tries sets of preemptions in ascending order of weight, each with the threads that
// can interfere with the blocks of its candidates. Plain CHESS on the same candidates is for comparison.
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "coredump/search/candidates.h"
#include "coredump/search/core_match.h"
#include "coredump/search/rerun.h"
#include "experiment/trial_runner.h"

namespace heddle::coredump {

enum class SearchMethod : std::uint8_t { Chess, Dependence, Temporal };
const char* search_word(SearchMethod method);
bool parse_search(std::string_view word, SearchMethod& method);

struct SearchOptions {
  SearchMethod method = SearchMethod::Dependence;
  unsigned preemptions_max = 2;
  std::uint64_t tries_max = 100'000;
  std::chrono::milliseconds time{0};  // 0: no bound
};

// A schedule that fails as the core does.
struct FoundSchedule {
  experiment::Schedule schedule;
  run::Outcome outcome;
  Match match = Match::No;
  std::size_t run = 0;  // the compared run from which it was found
};

struct SearchReport {
  std::uint64_t tries = 0;
  double seconds = 0;
  bool exhausted = false;  // every set within the bound of preemptions was tried
  std::uint64_t other_failures = 0;
  std::optional<FoundSchedule> found;
};

// Runs the schedules of a search, and distinguishes the failure of the core from others. Schedules run as copies of a
// fork server. Only a failure with a new key is run again in a process of its own, whose outcome decides.
class SearchTrials {
 public:
  // REQUIRES: all arguments but `passing` outlive this. Runs much longer than `passing` are cut off.
  SearchTrials(const binary::ProgramFile& program, const run::RunOptions& options, run::Runner& runner,
               const Rerun& passing, const CoreFacts& core, Reruns& reruns);

  Status start() { return trials_.start(); }
  // False if any search has already tried the schedule.
  bool is_new(const experiment::Schedule& schedule) { return seen_.insert(experiment::fingerprint(schedule)).second; }
  Result<Match> run(const experiment::Schedule& schedule, run::Outcome& outcome);

 private:
  experiment::TrialRunner trials_;
  experiment::TrialRunner separate_trials_;  // in processes of their own
  const CoreFacts& core_;
  Reruns& reruns_;
  std::set<std::uint64_t> seen_;            // fingerprints
  std::set<std::uint64_t> other_failures_;  // keys of failures that do not match
};

// A passing run and the candidates for its preemptions.
struct SearchSpace {
  const Rerun* passing;
  std::size_t run;  // index of the compared run
  CandidateList list;
  // CorePositions::stops. After the preemptions the failing thread runs first, and the others stop at these points.
  // Empty: the threads run one after the other.
  std::map<std::uint32_t, std::uint32_t> stops = {};
  std::uint32_t failing = 0;
  // The first preemption is before this position, because from there on the run differs from the core.
  std::size_t first_before = ~std::size_t{0};
  // If the second preemption resumes the thread of the first one, the search also tries to stop that thread again after
  // the block that was held back: then the other thread is again in the middle of its update.
  bool returns = false;
};

// Schedules with one preemption, after which thread `to` runs; lightest first.
std::vector<experiment::Schedule> preemptions_to(std::uint32_t to, const SearchSpace& space, std::size_t schedules_max);

// Takes the next set from each space in turn. REQUIRES: an InterruptGuard lives.
Result<SearchReport> search(const std::vector<SearchSpace>& spaces, const SearchOptions& options, const StopToken& stop,
                            SearchTrials& trials, const std::function<void(std::uint64_t)>& show);

}  // namespace heddle::coredump
