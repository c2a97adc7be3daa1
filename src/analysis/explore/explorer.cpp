#include "explore/explorer.h"

#include <chrono>
#include <mutex>
#include <thread>

#include "explore/bounds.h"
#include "explore/heuristics.h"
#include "explore/search.h"
#include "explore/workers/worker.h"
#include "run/interrupt.h"
#include "support/processors.h"

namespace heddle::explore {
namespace {

using Clock = std::chrono::steady_clock;

Progress progress_of(const Search& search) {
  Progress progress;
  progress.schedules = search.finished;
  progress.schedules_max = search.options.runs;
  progress.seconds = std::chrono::duration<double>(Clock::now() - search.begin).count();
  progress.distinct_schedules = search.coverage.distinct_schedules();
  progress.covered_pairs = search.coverage.pairs();
  progress.failures = search.failures.count();
  progress.bound_completed = search.lane.bound_completed();
  return progress;
}

ExploreReport report_of(Search& search, unsigned jobs) {
  const ExploreOptions& options = search.options;
  ExploreReport report;
  report.schedules = search.finished;
  report.seconds = std::chrono::duration<double>(Clock::now() - search.begin).count();
  report.distinct_schedules = search.coverage.distinct_schedules();
  report.covered_pairs = search.coverage.pairs();
  report.new_pairs_per_minute = search.coverage.new_pairs_per_minute(search.begin);
  report.seed = options.seed;
  report.strategy = method_word(options.method);
  report.jobs = jobs;
  report.failures = search.failures.failures();
  report.problems = search.failures.problems();
  if (options.method == Method::Portfolio || is_systematic(options.method)) {
    report.bound_completed = search.lane.bound_completed();
    report.complete = search.lane.complete();
    report.schedules_searched = search.lane.schedules_run();
    if (options.method == Method::DepthFirst) report.bound_completed.reset();
  }
  report.steps_executed = search.steps_executed;
  report.steps_saved = search.steps_saved;
  report.units = search.units;
  report.interrupted = search.stop_token.is_interrupted();
  if (search.last_armed != nullptr) {
    const ArmedSet& armed = *search.last_armed;
    report.shared_sites = armed.shared_sites;
    report.disarmed_sites = options.arm_all ? 0 : armed.disarmed.size();
    report.threads = armed.profile.threads;
    report.steps_per_run = profile_of(armed).length;
    for (const auto& [depth, runs] : search.pct_runs) {
      report.pct_bounds.push_back({depth, runs, pct_bound({report.threads, report.steps_per_run, depth, runs})});
    }
  }
  if (search.not_followed != 0) {
    report.problems.push_back(std::to_string(search.not_followed) +
                              " schedules of the systematic search could not be followed; see: heddle check");
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
  // Two servers cannot listen on one port.
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
      // An interrupt or the end of the time must reach those who wait for others, too.
      if (search.stop_token.stop_requested()) {
        lock.unlock();
        search.stop();
        lock.lock();
      }
      lock.unlock();
      if (show) show(progress_of(search));
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
