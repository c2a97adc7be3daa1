#pragma once
// Which spaces are searched, in which order, and how much each may take of the budget: a list of stages
// (search_policy.cpp).
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "coredump/core_options.h"
#include "coredump/search/compared_run.h"
#include "coredump/search/core_match.h"
#include "coredump/search/search.h"
#include "experiment/progress.h"

namespace heddle::coredump {

// A schedule that fails as the core says.
struct FoundSchedule {
  experiment::Schedule schedule;
  run::Outcome outcome;
  Match match = Match::No;
  std::size_t run = 0;  // the compared run in whose space it lies
};

class SearchPolicy {
 public:
  // All outlive this. `runs`: at least one; further ones are added behind them.
  SearchPolicy(const CoreOptions& options, const GivenCore& core, const std::string& program, Reruns& reruns,
               RunComparer& comparer, const CoreMatch& match, std::deque<ComparedRun>& runs, SearchTrials& trials,
               const experiment::ShowProgress& show)
      : options_(options),
        core_(core),
        program_(program),
        reruns_(reruns),
        comparer_(comparer),
        match_(match),
        runs_(runs),
        sequential_runs_(runs.size()),
        trials_(trials),
        show_(show) {}

  // REQUIRES: an InterruptGuard lives.
  Status run();
  const std::optional<FoundSchedule>& found() const { return found_; }
  // Without what was found.
  const SearchResult& result() const { return result_; }

 private:
  // Critical: variables that differ; where none does, everything that threads share: the order of accesses is all there
  // is.
  enum class Searched : std::uint8_t { Critical, AllShared };
  struct Stage {
    std::uint64_t tries_max;
    bool (SearchPolicy::*applies)() const;
    Status (SearchPolicy::*search)(SearchOptions budget);
  };
  static const std::vector<Stage>& stages();

  bool always() const { return true; }
  bool is_guided() const { return options_.search.method != SearchMethod::Chess; }
  bool is_guided_and_parted() const { return is_guided() && !runs_.front().passing.aligned.exact; }
  bool is_exhausted() const { return result_.exhausted; }
  Status search_differences(SearchOptions budget);
  Status search_in_place(SearchOptions budget);
  Status search_from_nearer_run(SearchOptions budget);
  Status search_further_runs(SearchOptions budget);
  Status search_all_shared(SearchOptions budget);

  std::vector<CriticalVariable> variables_of(std::size_t run, Searched searched) const;
  SearchSpace make_space(std::size_t run, Searched searched, bool thorough = false);
  std::vector<SearchSpace> make_spaces(Searched searched);
  SearchSpace make_thorough_space(std::size_t run, Searched searched, const CorePositions& places) const;
  std::vector<SearchSpace> make_spaces_in_place(Searched searched) const;
  void add_spaces_with_returns();
  Status add_sliced_run();
  Status find_nearer_run(std::size_t& nearer);
  std::vector<experiment::Schedule> schedules_to_come_nearer() const;
  CorePositions places_of(std::size_t run) const;

  // What is left of the budget; none: it is used up, or nothing more is to be found.
  std::optional<SearchOptions> left() const;
  Status search_in(const std::vector<SearchSpace>& spaces, const SearchOptions& budget);
  bool fails_alike(const Rerun& rerun);

  const CoreOptions& options_;
  const GivenCore& core_;
  const std::string& program_;
  Reruns& reruns_;
  RunComparer& comparer_;
  const CoreMatch& match_;
  std::deque<ComparedRun>& runs_;      // which do not move: spaces refer to them
  const std::size_t sequential_runs_;  // of these the first
  SearchTrials& trials_;
  const experiment::ShowProgress& show_;
  std::vector<SearchSpace> spaces_;  // of the runs as they came, without stops
  SearchResult result_;
  std::optional<FoundSchedule> found_;
};

}  // namespace heddle::coredump
