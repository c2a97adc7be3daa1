#include "explore/explorer.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "explore/armed_sets.h"
#include "explore/bounds.h"
#include "explore/coverage.h"
#include "explore/executor.h"
#include "explore/failure_book.h"
#include "explore/portfolio.h"
#include "explore/search_lane.h"
#include "run/interrupt.h"

namespace heddle::explore {
namespace {

using Clock = std::chrono::steady_clock;
using format::StrategyKind;

constexpr std::chrono::milliseconds kShowEvery{100};
constexpr std::uint32_t kHostsMax = 64;
constexpr std::uint64_t kSearchEvery = 4;  // of the schedules of a portfolio, one is of the systematic search
constexpr std::uint64_t kBlock = 256;      // schedules in one process, with --in-process
constexpr std::uint64_t kPairsEvery = 64;  // runs between two looks at a worker's table of pairs

std::vector<int> allowed_processors() {
  std::vector<int> processors;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(static_cast<unsigned>(i), &allowed)) processors.push_back(i);
  }
  if (processors.empty()) processors.push_back(-1);
  return processors;
}

// Worker and program take turns: on one processor neither waits for the other to wake up.
void bind_to(int processor) {
  if (processor < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(processor), &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

SearchMode search_mode(Method method) {
  if (method == Method::Delays) return SearchMode::Delays;
  return method == Method::DepthFirst ? SearchMode::Unbounded : SearchMode::Preemptions;
}

std::optional<StrategyKind> only_strategy(Method method) {
  switch (method) {
    case Method::Random:
      return StrategyKind::Random;
    case Method::Pct:
      return StrategyKind::Pct;
    case Method::Pos:
      return StrategyKind::Pos;
    case Method::Surw:
      return StrategyKind::Surw;
    default:
      return std::nullopt;
  }
}

// What all workers share.
struct Search {
  Search(const ExploreOptions& given, run::ProgramFile file)
      : options(given),
        program(std::move(file)),
        book(given.out_directory, given.keep_going),
        lane({search_mode(given.method), given.bound_max, given.prune}) {}

  const ExploreOptions& options;
  const run::ProgramFile program;
  const Clock::time_point begin = Clock::now();
  std::atomic<std::uint64_t> next_index{0};
  std::atomic<std::uint64_t> finished{0};
  std::atomic<std::uint64_t> steps_executed{0};
  std::atomic<std::uint64_t> steps_saved{0};
  std::atomic<std::uint64_t> not_followed{0};
  std::atomic<bool> stopped{false};
  ArmedSets armed_sets;
  Coverage coverage;
  FailureBook book;
  SearchLane lane;

  std::mutex mutex;
  std::condition_variable worker_ended;
  unsigned workers = 0;
  std::optional<Error> error;
  std::map<std::uint32_t, std::uint64_t> pct_runs;  // by depth
  std::shared_ptr<const ArmedSet> last_armed;

  void stop() {
    stopped = true;
    armed_sets.give_up();
    lane.give_up();
  }

  void fail(Error why) {
    {
      const std::lock_guard lock(mutex);
      if (!error) error = std::move(why);
    }
    stop();
  }

  bool out_of_time() const { return options.time.count() != 0 && Clock::now() - begin >= options.time; }
};

// One schedule, ready to be run.
struct Task {
  std::uint64_t index = 0;
  std::shared_ptr<const ArmedSet> armed;  // nullptr: everything is
  run::SessionInputs inputs;
  std::optional<SearchItem> item;
};

class Worker {
 public:
  Worker(Search& search, int processor) : search_(search), processor_(processor), executor_(search.program, processor) {}

  void work() {
    bind_to(processor_);
    while (!search_.stopped) {
      if (options().in_process && search_.next_index != 0) {
        if (!do_block()) break;
        continue;
      }
      const std::uint64_t index = search_.next_index++;
      if (over(index)) {
        leave_out(index);
        break;
      }
      const Status done_one = is_profiled(index) ? do_profiled(index) : do_scheduled(index);
      if (!done_one) search_.fail(done_one.error());
    }
    // Whoever waits for a batch or a turn that nobody will take must not wait for ever.
    if (search_.stopped || run::interrupt_signal() != 0 || search_.out_of_time() || ended_) search_.stop();
    search_.coverage.add_pairs(executor_.pairs());
  }

 private:
  const ExploreOptions& options() const { return search_.options; }

  // Others may wait for this one.
  void leave_out(std::uint64_t index) {
    if (is_systematic(options().method)) return;
    if (is_profiled(index)) search_.armed_sets.settle(index / ArmedSets::kBatch, nullptr, nullptr);
    else if (is_searched(index)) search_.lane.pass(index / kSearchEvery);
  }

  bool over(std::uint64_t index) const {
    return index >= options().runs || index > search_.book.last_index() || run::interrupt_signal() != 0 ||
           search_.out_of_time();
  }
  bool is_profiled(std::uint64_t index) const {
    return is_systematic(options().method) ? index == 0 : index % ArmedSets::kBatch == 0;
  }
  bool is_searched(std::uint64_t index) const {
    return is_systematic(options().method) || (options().method == Method::Portfolio && index % kSearchEvery == 3);
  }

  run::RunOptions options_of(const Task& task) const {
    run::RunOptions run = options().run;
    run::set_schedule(run, task.inputs.config);
    run.arm_mode = format::ArmMode::All;
    if (task.armed != nullptr && !options().arm_all) {
      run.arm_mode = format::ArmMode::AllBut;
      run.armed = task.armed->disarmed;
    }
    return run;
  }

  void plan_sampled(Task& task, const ArmedSet* known) const {
    const Profile profile = known == nullptr ? Profile{} : profile_of(*known);
    PlannedSchedule planned = plan_schedule(options().seed, task.index, profile, only_strategy(options().method));
    format::SessionConfig& config = task.inputs.config;
    config.strategy = planned.strategy;
    config.seed = planned.seed;
    config.quantum = planned.quantum;
    config.depth = planned.depth;
    config.length = planned.length;
    config.steps_max = options().run.steps_max;
    task.inputs.interesting = std::move(planned.interesting);
    task.inputs.counts = std::move(planned.counts);
    if (!task.inputs.counts.empty()) task.inputs.descents = known->profile.descents;
  }

  void plan_searched(Task& task) const {
    format::SessionConfig& config = task.inputs.config;
    config.strategy = StrategyKind::Systematic;
    config.seed = options().seed;
    config.default_order = default_order_of(search_mode(options().method));
    config.steps_max = options().run.steps_max;
    task.inputs.deviations = task.item->deviations;
  }

  // A fully armed run: shows which sites are shared.
  Status do_profiled(std::uint64_t index) {
    const std::uint64_t batch = index / ArmedSets::kBatch;
    Task task;
    task.index = index;
    std::shared_ptr<const ArmedSet> known;
    if (batch > 0) {
      known = search_.armed_sets.wait_for(batch);
      if (known == nullptr) return done();
    }
    plan_sampled(task, known.get());
    Profiler profiler;
    const Result<Executor::Made> made = executor_.run_profiled(options_of(task), task.inputs, profiler);
    if (!made) return made.error();
    if (!sites_ || modules_ != executor_.last_result().module_count) {
      sites_.emplace(executor_.last_result());
      modules_ = executor_.last_result().module_count;
    }
    RunProfile profile = profiler.result();
    profile.steps = made->steps;
    profile.threads = std::max(made->run.progress.threads, 1u);
    search_.armed_sets.settle(batch, &profile, &*sites_);
    return settle(*made, task);
  }

  Status do_scheduled(std::uint64_t index) {
    Task task;
    task.index = index;
    task.armed = search_.armed_sets.wait_for(is_systematic(options().method) ? 0 : index / ArmedSets::kBatch);
    if (task.armed == nullptr) return done();
    if (Status armed = arm(task.armed); !armed) return armed;
    if (is_searched(index)) {
      task.item = is_systematic(options().method)
                      ? search_.lane.take()
                      : search_.lane.take_in_order(index / kSearchEvery, task.armed->version);
      if (!task.item && is_systematic(options().method)) {
        ended_ = true;
        search_.stop();
        return done();
      }
    }
    if (task.item)
      plan_searched(task);
    else
      plan_sampled(task, task.armed.get());
    Result<Executor::Made> made = executor_.run(task.inputs, task.item && options().checkpoints);
    if (!made) return made.error();
    if (made->run.spun && options_of(task).arm_mode != format::ArmMode::All) {
      // It spins where nothing is armed. With everything armed it gives the turn up in time.
      if (task.item) search_.lane.finished(*task.item, {}, true);
      task.item.reset();
      task.armed.reset();
      task.inputs.deviations.clear();
      plan_sampled(task, nullptr);
      Profiler unheard;
      made = executor_.run_profiled(options_of(task), task.inputs, unheard);
      if (!made) return made.error();
    } else if (task.item) {
      const bool followed = made->run.outcome.kind != format::OutcomeKind::Diverged && !made->run.interrupted;
      if (!followed) ++search_.not_followed;
      search_.lane.finished(*task.item, executor_.decision_log(), executor_.log_overflown() || !followed);
      if (!followed) return done();
    }
    return settle(*made, task);
  }

  // Many schedules of a body that is repeated inside one process. False: there are no more.
  bool do_block() {
    const std::uint64_t first = search_.next_index.fetch_add(kBlock);
    if (over(first)) return false;
    const std::shared_ptr<const ArmedSet> armed = search_.armed_sets.wait_for(0);
    if (armed == nullptr) return false;
    if (Status begun = arm(armed); !begun) {
      search_.fail(begun.error());
      return false;
    }
    const std::uint64_t count = std::min(kBlock, options().runs - first);
    for (std::uint64_t begun = 0; begun < count && !over(first + begun);) {
      std::vector<Task> tasks;
      run::SessionInputs block;
      for (std::uint64_t i = begun; i < count; ++i) {
        Task& task = tasks.emplace_back();
        task.index = first + i;
        task.armed = armed;
        plan_sampled(task, armed.get());
        // What is interesting would have to be told for each run anew.
        if (task.inputs.config.strategy == StrategyKind::Surw) task.inputs.config.strategy = StrategyKind::Pos;
        task.inputs.interesting.clear();
        task.inputs.counts.clear();
        const format::SessionConfig& config = task.inputs.config;
        block.repeats.push_back({config.strategy, config.depth, config.seed, config.quantum, config.length});
      }
      block.config = tasks.front().inputs.config;
      const Result<Executor::Repeated> repeated = executor_.run_repeated(block);
      if (!repeated) {
        search_.fail(repeated.error());
        return false;
      }
      if (repeated->made.run.interrupted) return false;
      search_.finished += repeated->finished;
      search_.steps_executed += repeated->made.steps;
      for (const std::uint64_t state : repeated->states) search_.coverage.add_schedule(state);
      begun += repeated->finished;
      if (!repeated->made.run.outcome.failed()) continue;
      const Task& failed = tasks[repeated->finished];
      if (Status settled = settle(repeated->made, failed); !settled) {
        search_.fail(settled.error());
        return false;
      }
      ++begun;
    }
    return true;
  }

  Status arm(const std::shared_ptr<const ArmedSet>& armed) {
    if (armed_version_ == armed->version) return done();
    search_.coverage.add_pairs(executor_.pairs());
    Task common;
    common.armed = armed;
    const std::uint32_t hosts = std::min(armed->profile.threads - 1, kHostsMax);
    const bool logs = is_systematic(options().method) || options().method == Method::Portfolio;
    if (Status begun = executor_.begin(options_of(common), hosts, logs); !begun) return begun;
    armed_version_ = armed->version;
    const std::lock_guard lock(search_.mutex);
    search_.last_armed = armed;
    return done();
  }

  Status settle(const Executor::Made& made, const Task& task) {
    if (made.run.interrupted) return done();
    const run::Outcome& outcome = made.run.outcome;
    if (outcome.kind == format::OutcomeKind::Uncontrolled) return Error{outcome.message, ExitCode::Uncontrolled};
    ++search_.finished;
    search_.steps_executed += made.steps;
    search_.steps_saved += made.steps_saved;
    if (task.armed != nullptr) search_.coverage.add_schedule(made.run.progress.state);
    if (task.inputs.config.strategy == StrategyKind::Pct) {
      const std::lock_guard lock(search_.mutex);
      ++search_.pct_runs[task.inputs.config.depth];
    }
    if (++runs_ % kPairsEvery == 0 && executor_.pair_count() != pairs_told_) {
      pairs_told_ = executor_.pair_count();
      search_.coverage.add_pairs(executor_.pairs());
    }
    if (outcome.failed()) {
      const char* word = run::strategy_word(task.inputs.config.strategy);
      search_.book.add({task.index, made.failure_key, outcome.kind, word == nullptr ? "" : word, options_of(task),
                        task.inputs, executor_.take_report()});
      if (is_systematic(options().method) && !options().keep_going) {
        ended_ = true;
        search_.stop();
      }
    }
    return done();
  }

  Search& search_;
  const int processor_;
  Executor executor_;
  std::uint32_t armed_version_ = ~0u;
  std::optional<run::SiteTable> sites_;
  std::uint32_t modules_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t pairs_told_ = 0;
  bool ended_ = false;
};

Progress progress_of(const Search& search) {
  Progress progress;
  progress.schedules = search.finished;
  progress.schedules_max = search.options.runs;
  progress.seconds = std::chrono::duration<double>(Clock::now() - search.begin).count();
  progress.distinct_schedules = search.coverage.distinct_schedules();
  progress.covered_pairs = search.coverage.pairs();
  progress.failures = search.book.count();
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
  report.failures = search.book.failures();
  report.problems = search.book.problems();
  if (options.method == Method::Portfolio || is_systematic(options.method)) {
    report.bound_completed = search.lane.bound_completed();
    report.complete = search.lane.complete();
    report.schedules_searched = search.lane.schedules_run();
    if (options.method == Method::DepthFirst) report.bound_completed.reset();
  }
  report.steps_executed = search.steps_executed;
  report.steps_saved = search.steps_saved;
  report.interrupted = run::interrupt_signal() != 0;
  if (search.last_armed != nullptr) {
    const ArmedSet& armed = *search.last_armed;
    report.shared_sites = armed.shared_sites;
    report.disarmed_sites = options.arm_all ? 0 : armed.disarmed.size();
    report.threads = armed.profile.threads;
    report.steps_per_run = profile_of(armed).length;
    for (const auto& [depth, runs] : search.pct_runs) {
      report.pct_bounds.push_back(
          {depth, runs, pct_bound({report.threads, report.steps_per_run, depth, runs})});
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
  Result<run::ProgramFile> program = run::find_program(options.run.program);
  if (!program) return program.error();
  if (Status controllable = run::check_controllable(*program, options.run.preload); !controllable)
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
      if (run::interrupt_signal() != 0 || search.out_of_time()) {
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
