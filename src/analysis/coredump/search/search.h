#pragma once
// Algorithm 2 of multicore dumps: sets of preemptions in ascending order of weight, each tried with the threads that could
// disturb the block which it leads; and plain CHESS on the same candidates, to compare.
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
#include "run/process/fork_server.h"
#include "run/runner.h"

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
  std::optional<experiment::Schedule> plan;  // the one that fails as the core says
  std::size_t space = 0;             // in which it was found
  Match match = Match::No;
  run::Outcome outcome;
};

// How a run of a plan ended, as far as it is needed to know whether it is the failure.
class PlanRunner {
 public:
  using Matches = std::function<Match(const run::Outcome&, const experiment::Schedule&)>;
  PlanRunner(const binary::ProgramFile& program, const run::RunOptions& options, run::Runner& runner, Matches matches)
      : program_(program), options_(options), runner_(runner), matches_(std::move(matches)) {}

  // `steps`: of the passing run; a run that takes much longer is given up.
  Status begin(std::uint32_t threads, std::uint64_t steps);
  // Whether it was not asked for before, in this search or another one.
  bool is_new(const experiment::Schedule& plan) { return seen_.insert(experiment::fingerprint(plan)).second; }
  Result<Match> run(const experiment::Schedule& plan, run::Outcome& outcome);

 private:
  const binary::ProgramFile& program_;
  run::RunOptions options_;
  run::Runner& runner_;
  Matches matches_;
  std::unique_ptr<run::ForkServer> server_;
  std::set<std::uint64_t> seen_;    // plans
  std::set<std::uint64_t> others_;  // keys of failures that are not the wanted one
};

// A passing run and where it may be preempted.
struct SearchSpace {
  const Rerun* passing;
  CandidateList list;
  // After the preemptions the failing thread goes first, and others are stopped where the core shows them: before this one
  // of their points, by thread. Empty: one thread after the other.
  std::map<std::uint32_t, std::uint32_t> stops = {};
  std::uint32_t failing = 0;
  // The first preemption comes before this position of the run: from there on it is no longer what the core shows.
  std::size_t first_before = ~std::size_t{0};
  // Where the second preemption lets the thread go on that was stopped at the first, it is also tried with that thread
  // stopped again behind the block that was held back: then the other one is in the middle of something again.
  bool returns = false;
};

// With one preemption each, of another thread than `to`, which goes on then; lightest first.
std::vector<experiment::Schedule> preemptions_to(std::uint32_t to, const SearchSpace& space, std::size_t plans_max);

// The spaces take turns, each with its own order of sets. REQUIRES: an InterruptGuard lives.
Result<SearchReport> search(const std::vector<SearchSpace>& spaces, const SearchOptions& options, const StopToken& stop,
                            PlanRunner& runner, const std::function<void(std::uint64_t)>& show);

}  // namespace heddle::coredump
