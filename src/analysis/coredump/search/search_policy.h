#pragma once
// The search as a list of stages, each with its search spaces and its part of the budget.
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "coredump/core_options.h"
#include "coredump/search/compared_run.h"
#include "coredump/search/search.h"
#include "experiment/progress.h"

namespace heddle::coredump {

// Searches from the compared runs until a schedule fails as the core does, or the budget is used up. The first stages
// are short: if they find the failure, they find it early. The later ones change the target (other threads at their
// positions in the core), the passing run (a nearer one, one in slices) and the variables (all that threads share).
class SearchPolicy {
 public:
  // REQUIRES: all arguments outlive this; `runs` is not empty. Appends further runs to `runs`.
  SearchPolicy(const CoreOptions& options, const CoreInput& core, const std::string& program, Reruns& reruns,
               RunComparer& comparer, std::deque<ComparedRun>& runs, SearchTrials& trials,
               const experiment::ShowProgress& show)
      : options_(options),
        core_(core),
        program_(program),
        reruns_(reruns),
        comparer_(comparer),
        runs_(runs),
        sequential_runs_(runs.size()),
        trials_(trials),
        show_(show) {}

  // REQUIRES: an InterruptGuard lives.
  Status run();
  const std::optional<FoundSchedule>& found() const { return found_; }
  // The totals of all searches.
  const SearchResult& result() const { return result_; }

 private:
  // Critical: the shared variables that differ, or all shared memory if none differs.
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
  SearchSpace make_thorough_space(std::size_t run, Searched searched, const CorePositions& positions) const;
  std::vector<SearchSpace> make_spaces_in_place(Searched searched) const;
  void add_spaces_with_returns();
  Status add_sliced_run();
  Status find_nearer_run(std::size_t& nearer);
  std::vector<experiment::Schedule> schedules_to_come_nearer() const;
  CorePositions core_positions(std::size_t run) const;

  // The rest of the budget; none: it is used up, or a schedule was found.
  std::optional<SearchOptions> left() const;
  Status search_in(const std::vector<SearchSpace>& spaces, const SearchOptions& budget);
  bool is_same_failure(const Rerun& rerun);

  const CoreOptions& options_;
  const CoreInput& core_;
  const std::string& program_;
  Reruns& reruns_;
  RunComparer& comparer_;
  std::deque<ComparedRun>& runs_;      // a deque, because spaces point to its elements
  const std::size_t sequential_runs_;  // the first elements of `runs_`
  SearchTrials& trials_;
  const experiment::ShowProgress& show_;
  std::vector<SearchSpace> spaces_;  // without stops
  SearchResult result_;
  std::optional<FoundSchedule> found_;
};

}  // namespace heddle::coredump
