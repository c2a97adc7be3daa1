#include "explore/explorer.h"

#include <chrono>
#include <mutex>
#include <thread>

#include "explore/bounds.h"
#include "explore/heuristics.h"
#include "explore/search.h"
#include "explore/workers/worker.h"
#include "run/interrupt.h"
#include "support/counted.h"
#include "support/processors.h"

namespace heddle::explore {
namespace {

SearchCounts counts_of(const Search& search) {
  const Coverage::Counts coverage = search.coverage.counts();
  return {.schedules = search.finished,
          .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - search.begin).count(),
          .distinct_schedules = coverage.distinct_schedules,
          .covered_pairs = coverage.pairs,
          .bound_completed = search.lane.status().bound_completed};
}

ExploreReport report_of(Search& search, unsigned jobs) {
  const ExploreOptions& options = search.options;
  ExploreReport report;
  static_cast<SearchCounts&>(report) = counts_of(search);
  report.new_pairs_per_minute = search.coverage.new_pairs_per_minute(search.begin);
  report.seed = options.seed;
  report.strategy = method_word(options.method);
  report.jobs = jobs;
  report.failures = search.failures.failures();
  report.problems = search.failures.problems();
  const SearchLane::Status status = search.lane.status();
  report.complete = status.complete;
  report.schedules_searched = status.schedules_run;
  if (options.method == Method::DepthFirst) report.bound_completed.reset();
  report.steps_executed = search.steps_executed;
  report.steps_saved = search.steps_saved;
  report.units = search.units;
  report.late_timeouts = search.late_timeouts;
  report.early_timeout = options.run.early_timeout;
  report.interrupted = search.stop_token.is_interrupted();
  report.out_of_time = search.out_of_time && !report.interrupted;
  if (search.finished != 0) report.seconds_per_run = search.run_seconds / static_cast<double>(search.finished);
  if (search.last_armed != nullptr) {
    const ArmedSet& armed = *search.last_armed;
    report.shared_sites = armed.shared_sites;
    report.disarmed_sites = options.arm_all ? 0 : armed.disarmed.size();
    report.threads = armed.profile.threads;
    report.steps_per_run = plan_profile(armed.profile).length;
    for (const auto& [depth, runs] : search.pct_runs) {
      report.pct_bounds.push_back({depth, runs, pct_bound({report.threads, report.steps_per_run, depth, runs})});
    }
  }
  if (search.not_followed != 0) {
    report.problems.push_back("the program did not follow " + counted(search.not_followed, "schedule") +
                              " of the systematic search; see: heddle check");
  }
  return report;
}

}  // namespace

Result<ExploreReport> explore(const ExploreOptions& options, const ShowProgress& show) {
  Result<binary::ProgramFile> program = binary::find_program(options.run.program);
  if (!program) return program.error();
  if (Status controllable = binary::check_controllable(*program, options.run.preload); !controllable)
    return controllable.error();
  const run::InterruptGuard guard;
  Search search(options, std::move(*program));
  const std::vector<int> processors = allowed_processors();
  // A driver talks to one server at a time: two servers cannot listen on one port.
  const unsigned processors_used = options.run.driver.empty() ? static_cast<unsigned>(processors.size()) : 1;
  const unsigned jobs = options.jobs != 0 ? options.jobs : processors_used;
  search.workers = jobs;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < jobs; ++i) {
    threads.emplace_back([&search, processor = processors[i % processors.size()]] {
      Worker(search, processor).work();
      const std::lock_guard lock(search.mutex);
      --search.workers;
      search.worker_ended.notify_all();
    });
  }
  {
    std::unique_lock lock(search.mutex);
    while (!search.worker_ended.wait_for(lock, kShowEvery, [&] { return search.workers == 0; })) {
      lock.unlock();
      // Workers that wait for other workers do not see an interrupt or the end of the time.
      if (search.stop_token.stop_requested()) {
        search.out_of_time = true;
        search.stop();
      }
      if (show) show({counts_of(search), options.runs, search.failures.count()});
      lock.lock();
    }
  }
  threads.clear();
  if (search.error && search.finished == 0) return *search.error;
  ExploreReport report = report_of(search, jobs);
  if (search.error) report.problems.push_back(search.error->message);
  return report;
}

}  // namespace heddle::explore
