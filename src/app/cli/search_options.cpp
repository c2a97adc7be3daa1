#include "cli/search_options.h"

#include "cli/parsing/checked_options.h"

namespace heddle::cli {

void add_search_options(CLI::App& verb, SearchOptions& options, const SearchHelp& help) {
  add_choice(verb, "--strategy", options.strategy,
             "portfolio is a mix; preemptions, delays and dfs are systematic [portfolio]",
             {"portfolio", "random", "pct", "pos", "surw", "preemptions", "delays", "dfs"});
  add_number(verb, "--seed", options.seed, help.seed, kAnyNumber);
  add_number(verb, "--runs", options.runs, help.runs);
  add_duration(verb, "--time", options.time, help.time, Zero::NoBound);
  add_number(verb, "--jobs", options.jobs, "Number of parallel runs [number of processors]", kJobsBounds);
  verb.add_flag("--in-process", options.in_process, help.in_process);
}

Result<explore::ExploreOptions> make_explore_options(const SearchOptions& search, const CommonOptions& common,
                                                     const Invocation& invocation, std::uint64_t runs_default) {
  Result<run::RunOptions> run = make_repeated_run_options(common, invocation);
  if (!run) return run.error();
  explore::ExploreOptions options;
  options.run = std::move(*run);
  explore::parse_method(search.strategy, options.method);
  options.seed = search.seed;
  options.jobs = search.jobs;
  options.out_directory = search.out;
  options.in_process = search.in_process;
  options.runs = search.runs.value_or(search.time ? ~std::uint64_t{0} : runs_default);
  if (options.in_process && (is_systematic(options.method) || options.method == explore::Method::Surw))
    return Error{"--in-process does not work with --strategy " + search.strategy +
                 "; take portfolio, random, pct or pos"};
  return options;
}

}  // namespace heddle::cli
