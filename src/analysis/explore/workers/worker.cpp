#include "explore/workers/worker.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "clip/module_identity.h"
#include "explore/heuristics.h"
#include "explore/portfolio.h"

namespace heddle::explore {
namespace {

using format::StrategyKind;

constexpr std::uint32_t kHostsMax = 64;

// Worker and program alternate. On one processor, neither has to wake an idle processor for the other.
void bind_to(int processor) {
  if (processor < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(processor), &one);
  ::sched_setaffinity(0, sizeof one, &one);
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

}  // namespace

void Worker::work() {
  bind_to(processor_);
  while (!search_.stopped) {
    if (options().in_process && search_.next_index != 0) {
      const Result<bool> more = do_block();
      if (!more) search_.fail(more.error());
      if (!more || !*more) break;
      continue;
    }
    const std::uint64_t index = search_.next_index++;
    if (over(index)) {
      skip(index);
      break;
    }
    const Status done_one = is_profiled(index) ? do_profiled(index) : do_scheduled(index);
    if (!done_one) search_.fail(done_one.error());
  }
  // Otherwise other workers could wait forever for a batch or a ticket.
  if (search_.stopped || search_.stop_token.stop_requested() || ended_) search_.stop();
  search_.coverage.add_pairs(executor_.pairs());
}

void Worker::skip(std::uint64_t index) {
  if (is_systematic(options().method)) return;
  if (is_profiled(index))
    search_.armed_sets.settle(index / kBatch, nullptr, nullptr);
  else if (is_searched(index))
    search_.lane.pass(index / kSearchEvery);
}

bool Worker::over(std::uint64_t index) const {
  if (index >= options().runs || index > search_.failures.last_index()) return true;
  if (!search_.stop_token.stop_requested()) return false;
  search_.out_of_time = true;
  return true;
}

bool Worker::is_profiled(std::uint64_t index) const {
  return is_systematic(options().method) ? index == 0 : index % kBatch == 0;
}

bool Worker::is_searched(std::uint64_t index) const {
  return is_systematic(options().method) || (options().method == Method::Portfolio && index % kSearchEvery == 3);
}

run::RunOptions Worker::options_of(const Task& task) const {
  run::RunOptions run = options().run;
  run.stop = search_.stop_token;
  run::set_schedule(run, task.inputs.config);
  run.arm_mode = format::ArmMode::All;
  if (task.armed != nullptr && !options().arm_all) {
    run.arm_mode = format::ArmMode::AllBut;
    run.armed = task.armed->disarmed;
  }
  return run;
}

void Worker::plan_sampled(Task& task, const ArmedSet* known) const {
  const Profile profile = known == nullptr ? Profile{} : plan_profile(known->profile);
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

void Worker::plan_searched(Task& task) const {
  format::SessionConfig& config = task.inputs.config;
  config.strategy = StrategyKind::Systematic;
  config.seed = options().seed;
  config.default_order = default_order_of(search_mode(options().method));
  config.steps_max = options().run.steps_max;
  task.inputs.deviations = task.item->deviations;
}

Status Worker::do_profiled(std::uint64_t index) {
  const std::uint64_t batch = index / kBatch;
  Task task;
  task.index = index;
  std::shared_ptr<const ArmedSet> known;
  if (batch > 0) {
    known = search_.armed_sets.wait_for(batch);
    if (known == nullptr) return ok_status();
  }
  plan_sampled(task, known.get());
  Profiler profiler;
  Result<Executor::Made> made = executor_.run_profiled(options_of(task), task.inputs, profiler);
  if (!made) return made.error();
  if (!sites_ || modules_ != executor_.last_result().module_count) {
    sites_.emplace(executor_.last_result());
    modules_ = executor_.last_result().module_count;
    note_units();
  }
  RunProfile profile = profiler.result();
  profile.steps = made->steps;
  profile.threads = std::max(made->trial.progress.threads, 1u);
  search_.armed_sets.settle(batch, &profile, &*sites_);
  return settle(std::move(*made), task);
}

void Worker::note_units() {
  clip::SourceUnits units = clip::read_source_units(clip::module_identities(executor_.last_result()));
  const std::lock_guard lock(search_.mutex);
  if (units.count > search_.units.count) search_.units = std::move(units);
}

Status Worker::do_scheduled(std::uint64_t index) {
  Task task;
  task.index = index;
  task.armed = search_.armed_sets.wait_for(is_systematic(options().method) ? 0 : index / kBatch);
  if (task.armed == nullptr) return ok_status();
  if (Status armed = arm(task.armed); !armed) return armed;
  if (is_searched(index)) {
    task.item = is_systematic(options().method) ? search_.lane.take()
                                                : search_.lane.take_in_order(index / kSearchEvery, task.armed->version);
    if (!task.item && is_systematic(options().method)) {
      ended_ = true;
      search_.stop();
      return ok_status();
    }
  }
  if (task.item)
    plan_searched(task);
  else
    plan_sampled(task, task.armed.get());
  Result<Executor::Made> made = executor_.run(task.inputs, task.item && options().checkpoints);
  if (!made) return made.error();
  if (made->trial.spun && options_of(task).arm_mode != format::ArmMode::All) {
    // The run spins in a loop without armed sites. With everything armed, other threads get the turn.
    if (task.item) search_.lane.finished(*task.item, {}, true);
    task.item.reset();
    task.armed.reset();
    task.inputs.deviations.clear();
    plan_sampled(task, nullptr);
    Profiler unused;
    made = executor_.run_profiled(options_of(task), task.inputs, unused);
    if (!made) return made.error();
  } else if (task.item) {
    const bool followed = made->trial.outcome.kind != format::OutcomeKind::Diverged && !made->trial.interrupted;
    if (!followed && !made->trial.interrupted) ++search_.not_followed;
    const Executor::DecisionLog log = executor_.decision_log();
    search_.lane.finished(*task.item, log.words, log.overflown || !followed);
    if (!followed) return ok_status();
  }
  return settle(std::move(*made), task);
}

Result<bool> Worker::do_block() {
  const std::uint64_t first = search_.next_index.fetch_add(kBlock);
  if (over(first)) return false;
  const std::shared_ptr<const ArmedSet> armed = search_.armed_sets.wait_for(0);
  if (armed == nullptr) return false;
  if (Status begun = arm(armed); !begun) return begun.error();
  const std::uint64_t count = std::min(kBlock, options().runs - first);
  for (std::uint64_t begun = 0; begun < count && !over(first + begun);) {
    std::vector<Task> tasks;
    run::SessionInputs block;
    for (std::uint64_t i = begun; i < count; ++i) {
      Task& task = tasks.emplace_back();
      task.index = first + i;
      task.armed = armed;
      plan_sampled(task, armed.get());
      // The repeats share their inputs, so they cannot have different interesting sites.
      if (task.inputs.config.strategy == StrategyKind::Surw) task.inputs.config.strategy = StrategyKind::Pos;
      task.inputs.interesting.clear();
      task.inputs.counts.clear();
      const format::SessionConfig& config = task.inputs.config;
      block.repeats.push_back({config.strategy, config.depth, config.seed, config.quantum, config.length});
    }
    block.config = tasks.front().inputs.config;
    Result<Executor::Repeated> repeated = executor_.run_repeated(block);
    if (!repeated) return repeated.error();
    if (repeated->made.trial.interrupted) return false;
    search_.finished += repeated->finished;
    {
      const std::lock_guard lock(search_.mutex);
      search_.run_seconds += repeated->made.seconds;
    }
    search_.steps_executed += repeated->made.steps;
    for (const std::uint64_t state : repeated->states) search_.coverage.add_schedule(state);
    begun += repeated->finished;
    if (!repeated->made.trial.outcome.failed()) continue;
    // A process of its own runs the body once; its schedule begins with the body, as here.
    Task& failed = tasks[repeated->finished];
    failed.inputs.repeats = {block.repeats[repeated->finished]};
    if (Status settled = settle(std::move(repeated->made), failed); !settled) return settled.error();
    ++begun;
  }
  return true;
}

Status Worker::arm(const std::shared_ptr<const ArmedSet>& armed) {
  if (armed_version_ == armed->version) return ok_status();
  search_.coverage.add_pairs(executor_.pairs());
  Task common;
  common.armed = armed;
  const std::uint32_t hosts = std::min(armed->profile.threads - 1, kHostsMax);
  const bool logs = is_systematic(options().method) || options().method == Method::Portfolio;
  if (Status begun = executor_.begin(options_of(common), hosts, logs); !begun) return begun;
  armed_version_ = armed->version;
  const std::lock_guard lock(search_.mutex);
  search_.last_armed = armed;
  return ok_status();
}

Status Worker::settle(Executor::Made made, const Task& task) {
  if (made.trial.interrupted) return ok_status();
  const run::Outcome& outcome = made.trial.outcome;
  if (outcome.kind == format::OutcomeKind::Uncontrolled) return Error{outcome.message, ExitCode::Uncontrolled};
  ++search_.finished;
  search_.steps_executed += made.steps;
  search_.steps_saved += made.steps_saved;
  if (task.armed != nullptr) search_.coverage.add_schedule(made.trial.progress.state);
  if (task.inputs.config.strategy == StrategyKind::Pct) {
    const std::lock_guard lock(search_.mutex);
    ++search_.pct_runs[task.inputs.config.depth];
  }
  {
    const format::TimeoutCount& late = made.trial.late_timeouts;
    const std::lock_guard lock(search_.mutex);
    search_.run_seconds += made.seconds;
    search_.late_timeouts.count = std::max(search_.late_timeouts.count, late.count);
    search_.late_timeouts.longest_ns = std::max(search_.late_timeouts.longest_ns, late.longest_ns);
  }
  if (++runs_ % kPairsEvery == 0 && executor_.pair_count() != pairs_added_) {
    pairs_added_ = executor_.pair_count();
    search_.coverage.add_pairs(executor_.pairs());
  }
  if (outcome.failed()) {
    const char* word = run::strategy_word(task.inputs.config.strategy);
    run::RunOptions repeated = options_of(task);
    if (outcome.kind == format::OutcomeKind::Timeout || made.trial.spun)
      repeated.known_end = run::KnownEnd{made.trial.progress.steps, made.trial.spun};
    search_.failures.add({.index = task.index,
                          .key = made.trial.failure_key,
                          .kind = outcome.kind,
                          .strategy = word == nullptr ? "" : word,
                          .early_timeout = made.trial.early_timeouts.count != 0,
                          .options = std::move(repeated),
                          .inputs = task.inputs,
                          .report = std::move(made.trial.report)});
    if (is_systematic(options().method) && !options().keep_going) {
      ended_ = true;
      search_.stop();
    }
  }
  return ok_status();
}

}  // namespace heddle::explore
