#pragma once
#include "cli/common_options.h"
#include "explore/explore_options.h"

namespace heddle::cli {

// The options of the verbs that run many schedules, as typed.
struct SearchOptions {
  std::string strategy = "portfolio";
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> runs;
  std::optional<std::chrono::milliseconds> time;
  unsigned jobs = 0;
  bool in_process = false;
  std::string out = "heddle-clips";
};

// Help texts of the options that differ between the verbs.
struct SearchHelp {
  const char *seed, *runs, *time, *in_process;
};
// Adds all options except --out.
void add_search_options(CLI::App& verb, SearchOptions& options, const SearchHelp& help);

// The options of a search for failures of the program after --. `runs_default` applies without --runs and --time. The
// caller sets the time.
Result<explore::ExploreOptions> make_explore_options(const SearchOptions& search, const CommonOptions& common,
                                                     const Invocation& invocation, std::uint64_t runs_default);

}  // namespace heddle::cli
