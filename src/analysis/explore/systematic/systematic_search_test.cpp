#include "explore/systematic/systematic_search.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "schedule/policy/systematic_strategy.h"
#include "schedule/simulated_program.h"

namespace heddle::explore {
namespace {

using format::EventKind;
using schedule::Operation;
using schedule::Program;

struct SearchResult {
  std::map<std::uint32_t, std::uint64_t> schedules;          // by cost
  std::map<std::uint32_t, std::set<std::uint64_t>> classes;  // happens-before classes, by cost
  std::uint64_t deadlocks = 0;
  std::uint64_t early_timeouts = 0;
  std::optional<std::uint32_t> bound_completed;
  bool complete = false;

  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto& [cost, count] : schedules) sum += count;
    return sum;
  }
  std::set<std::uint64_t> classes_up_to(std::uint32_t cost_max) const {
    std::set<std::uint64_t> met;
    for (const auto& [cost, some] : classes) {
      if (cost <= cost_max) met.insert(some.begin(), some.end());
    }
    return met;
  }
};

struct FinishedRun {
  schedule::Execution execution;
  std::vector<std::uint64_t> log;
  bool overflown;
};

FinishedRun run_item(const schedule::Program& program, const SearchItem& item, SearchMode mode,
                     std::size_t log_words = 1 << 14) {
  FinishedRun run;
  run.log.resize(log_words);
  format::DecisionLog log{};
  schedule::SystematicStrategy strategy{
      {item.deviations, run.log, &log, schedule::SystematicStrategy::DefaultOrder{default_order_of(mode) != 0}, 0}};
  run.execution = schedule::SimulatedRun{program, strategy}.run();
  run.log.resize(log.words);
  run.overflown = log.overflown != 0;
  return run;
}

// Runs a simulated program under all schedules. `workers`: schedules that run at the same time; they finish in the
// order in which they started.
SearchResult search_all(const schedule::Program& program, const SearchOptions& options, std::size_t workers = 1,
                        std::size_t log_words = 1 << 14) {
  SystematicSearch search{options};
  SearchResult result;
  std::deque<SearchItem> out;
  for (;;) {
    while (out.size() < workers) {
      std::optional<SearchItem> item = search.next();
      if (!item) break;
      out.push_back(std::move(*item));
    }
    if (out.empty()) break;
    const SearchItem item = std::move(out.front());
    out.pop_front();
    const FinishedRun run = run_item(program, item, options.mode, log_words);
    EXPECT_NE(run.execution.end, schedule::Execution::End::Diverged);
    ++result.schedules[item.cost];
    result.classes[item.cost].insert(run.execution.state);
    result.deadlocks += run.execution.end == schedule::Execution::End::Deadlock;
    result.early_timeouts += run.execution.early_timeouts;
    search.finished(item, run.log, run.overflown);
  }
  EXPECT_FALSE(search.waiting());
  EXPECT_EQ(search.schedules_run(), result.total());
  result.bound_completed = search.bound_completed();
  result.complete = search.complete();
  return result;
}

// Each thread accesses only its own object.
Program independent(std::uint32_t threads, std::uint32_t steps) {
  Program program(threads);
  for (std::uint32_t t = 0; t < threads; ++t) program[t].assign(steps, {EventKind::Write, 10 + t});
  return program;
}

Program conflicting(std::uint32_t threads, std::uint32_t steps) {
  return Program(threads, std::vector<Operation>(steps, {EventKind::Write, 7}));
}

Program locking(std::uint32_t threads) {
  return Program(threads, {{EventKind::Lock, 1}, {EventKind::Write, 7}, {EventKind::Unlock, 1}});
}

std::uint64_t binomial(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  std::uint64_t result = 1;
  for (std::uint64_t i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return result;
}

// Words of `left[t]` letters t in which no letter follows itself.
std::uint64_t words_without_repetition(std::vector<std::uint32_t>& left, std::size_t last) {
  std::uint64_t words = 0;
  bool empty = true;
  for (std::size_t t = 0; t < left.size(); ++t) {
    if (left[t] == 0) continue;
    empty = false;
    if (t == last) continue;
    --left[t];
    words += words_without_repetition(left, t);
    ++left[t];
  }
  return empty ? 1 : words;
}

// A thread of m steps can be preempted once before each step: c preemptions cut it into c + 1 pieces in one of C(m, c)
// ways. A schedule is an order of all pieces that begins with a piece of the first thread and has no two adjacent
// pieces of one thread, because a preemption gives the turn to another thread. So there are
//   sum over c_1 + ... + c_n = k of  C(m, c_1) ... C(m, c_n) * words(c_1 + 1, ..., c_n + 1)
// with exactly k preemptions.
std::uint64_t schedules_by_formula(std::uint32_t threads, std::uint32_t steps, std::uint32_t preemptions) {
  std::uint64_t total = 0;
  std::vector<std::uint32_t> cuts(threads);
  const auto distribute = [&](const auto& self, std::uint32_t thread, std::uint32_t left) -> void {
    if (thread + 1 == threads) {
      cuts[thread] = left;
      std::uint64_t ways = 1;
      std::vector<std::uint32_t> pieces;
      for (const std::uint32_t c : cuts) {
        ways *= binomial(steps, c);
        pieces.push_back(c + 1);
      }
      --pieces[0];
      total += ways * words_without_repetition(pieces, 0);
      return;
    }
    for (cuts[thread] = 0; cuts[thread] <= left; ++cuts[thread]) self(self, thread + 1, left - cuts[thread]);
  };
  distribute(distribute, 0, preemptions);
  return total;
}

TEST(SystematicSearch, runs_each_schedule_of_two_threads_once) {
  for (std::uint64_t m = 1; m <= 7; ++m) {
    const SearchResult result =
        search_all(independent(2, static_cast<std::uint32_t>(m)), {SearchMode::Preemptions, 3, false});
    EXPECT_EQ(result.schedules.at(0), 1u);
    EXPECT_EQ(result.schedules.at(1), m);      // before one of the first thread's steps
    EXPECT_EQ(result.schedules.at(2), m * m);  // ... and before one of the second's
    if (m == 1) {
      EXPECT_TRUE(result.complete);
      continue;
    }
    EXPECT_EQ(result.schedules.at(3), m * (m - 1) / 2 * m);  // twice the first thread, once the second
    EXPECT_EQ(result.bound_completed, 3u);
  }
}

TEST(SystematicSearch, runs_each_schedule_of_more_threads_once) {
  for (const auto& [threads, steps] : {std::pair{3u, 1u}, {3u, 2u}, {3u, 4u}, {4u, 2u}, {4u, 3u}}) {
    const SearchResult result = search_all(independent(threads, steps), {SearchMode::Preemptions, 2, false});
    for (std::uint32_t k = 0; k <= 2; ++k) {
      EXPECT_EQ(result.schedules.at(k), schedules_by_formula(threads, steps, k)) << threads << ' ' << steps;
    }
  }
  EXPECT_EQ(schedules_by_formula(3, 1, 0), 2u);
  // Three threads, one preemption. If thread 0 is cut, its second piece does not follow immediately: 4 orders. If
  // thread 1 is cut: 0121. If thread 2 is cut: 0212.
  EXPECT_EQ(schedules_by_formula(3, 5, 1), 5u * (4 + 1 + 1));
}

TEST(SystematicSearch, runs_all_schedules_without_costs) {
  const SearchResult all = search_all(independent(3, 2), {SearchMode::Unbounded, 0, false});
  std::uint64_t by_formula = 0;
  for (std::uint32_t k = 0; k <= 6; ++k) by_formula += schedules_by_formula(3, 2, k);
  EXPECT_EQ(all.total(), by_formula);
  EXPECT_EQ(all.schedules.size(), 1u);
  EXPECT_TRUE(all.complete);
}

// Cost 1: the first thread is preempted before one of its three steps. In two of these cases it holds the lock, so the
// second thread blocks and returns the turn without a choice. Cost 2: the first thread is preempted before the lock and
// the second thread before one of its three steps; or the first one is preempted inside the lock and the second one
// before it tries the lock.
TEST(SystematicSearch, counts_schedules_of_a_program_with_a_lock) {
  const SearchResult result = search_all(locking(2), {SearchMode::Preemptions, 2, false});
  EXPECT_EQ(result.schedules.at(0), 1u);
  EXPECT_EQ(result.schedules.at(1), 3u);
  EXPECT_EQ(result.schedules.at(2), 3u + 2u);
  EXPECT_EQ(result.deadlocks, 0u);
  EXPECT_EQ(result.classes_up_to(2).size(), 2u);  // one for each first thread
  EXPECT_FALSE(result.complete);
}

// Cost 1: the second thread runs instead of the first one at its step; the third one runs instead of the second one
// when the first one has terminated; the third one runs instead of the second one at its step.
TEST(SystematicSearch, counts_delays) {
  const SearchResult result = search_all(independent(3, 1), {SearchMode::Delays, 1, false});
  EXPECT_EQ(result.schedules.at(0), 1u);
  EXPECT_EQ(result.schedules.at(1), 3u);
  for (std::uint64_t m = 1; m <= 5; ++m) {  // of two threads, only the current one can be delayed
    const SearchResult two = search_all(independent(2, static_cast<std::uint32_t>(m)), {SearchMode::Delays, 2, false});
    EXPECT_EQ(two.schedules.at(0), 1u);
    EXPECT_EQ(two.schedules.at(1), m);
    EXPECT_EQ(two.schedules.at(2), m * m);
  }
}

// The signal ends the wait (cost 0); or the second thread runs before the wait, so that its signal is lost; or the
// time-out fires before the second thread writes, or between its write and its signal.
TEST(SystematicSearch, an_early_timeout_costs_as_much_as_a_preemption_or_a_delay) {
  Operation timed{EventKind::Wait, 1};
  timed.timed = true;
  const Program program{{timed, {EventKind::Write, 7}}, {{EventKind::Write, 7}, {EventKind::Signal, 1}}};
  for (const SearchMode mode : {SearchMode::Preemptions, SearchMode::Delays}) {
    const SearchResult result = search_all(program, {mode, 1, false});
    EXPECT_EQ(result.classes.at(0).size(), 1u);
    EXPECT_EQ(result.classes_up_to(1).size(), 4u);
    EXPECT_EQ(result.deadlocks, 0u);
    EXPECT_GT(result.early_timeouts, 0u);
  }
}

// One delay makes the third thread run first, another one passes the turn from it to the second thread. The first
// thread stands between them in the cycle; its time-out could fire early, but does not.
TEST(SystematicSearch, an_early_timeout_that_does_not_fire_is_not_a_delay) {
  Operation timed{EventKind::Wait, 1};
  timed.timed = true;
  const Operation write{EventKind::Write, 7};
  const Program program{{timed, write}, {write}, {write, write}};
  SystematicSearch search{{SearchMode::Delays, 4, false}};
  std::optional<std::uint32_t> cost;
  while (const std::optional<SearchItem> item = search.next()) {
    const FinishedRun run = run_item(program, *item, SearchMode::Delays);
    std::vector<std::uint32_t> threads;
    for (const auto& [thread, operation] : run.execution.order) threads.push_back(thread);
    if (!cost && threads == std::vector<std::uint32_t>{0, 2, 1, 2, 0}) cost = item->cost;
    search.finished(*item, run.log, run.overflown);
  }
  EXPECT_EQ(cost, 2u);
}

TEST(SystematicSearch, reaches_every_class_of_equivalent_schedules) {
  const auto classes = [](const Program& program) {
    const SearchResult result = search_all(program, {});
    EXPECT_TRUE(result.complete);
    return result.classes_up_to(*result.bound_completed).size();
  };
  EXPECT_EQ(classes(independent(3, 3)), 1u);
  EXPECT_EQ(classes(conflicting(2, 3)), binomial(6, 3));
  EXPECT_EQ(classes(conflicting(3, 2)), 90u);  // 6! / (2! 2! 2!)
  EXPECT_EQ(classes(locking(3)), 6u);          // the orders in which the threads take the lock
  // One writer and two readers: each reader comes before or after the write.
  EXPECT_EQ(classes({{{EventKind::Write, 7}}, {{EventKind::Read, 7}}, {{EventKind::Read, 7}}}), 4u);
  // Two locks in opposite order: either thread is first, or each holds one lock and both wait forever.
  const Program deadlocking{
      {{EventKind::Lock, 1}, {EventKind::Lock, 2}, {EventKind::Unlock, 2}, {EventKind::Unlock, 1}},
      {{EventKind::Lock, 2}, {EventKind::Lock, 1}, {EventKind::Unlock, 1}, {EventKind::Unlock, 2}}};
  EXPECT_EQ(classes(deadlocking), 3u);
}

TEST(SystematicSearch, runs_far_fewer_schedules_with_pruning) {
  const SearchResult all = search_all(independent(3, 3), {SearchMode::Preemptions, 2, false});
  const SearchResult pruned = search_all(independent(3, 3), {SearchMode::Preemptions, 2, true});
  EXPECT_GT(all.total(), 3 * pruned.total() / 2);
  // Each run is the first one to reach its class or one of its choices.
  const SearchResult conflicts = search_all(conflicting(2, 4), {SearchMode::Unbounded});
  EXPECT_EQ(conflicts.classes_up_to(0).size(), binomial(8, 4));
  EXPECT_LE(conflicts.total(), 2 * binomial(8, 4));
}

class RandomPrograms : public ::testing::TestWithParam<SearchMode> {};

Program small_random_program(Random& random, std::uint32_t threads) {
  Program program(threads);
  if (random.below(2) == 0) program[0].push_back({EventKind::Fork, 1});
  for (auto& thread : program) {
    for (int i = 0; i < 2; ++i) {
      const auto object = static_cast<std::uint32_t>(1 + random.below(2));
      switch (random.below(7)) {
        case 0:
          thread.push_back({EventKind::Lock, object});
          thread.push_back({EventKind::Write, 7});
          thread.push_back({EventKind::Unlock, object});
          break;
        case 1:
          thread.push_back({EventKind::Yield});
          break;
        case 2:
          thread.push_back({EventKind::Wait, object});
          thread.back().timed = random.below(2) == 0;
          break;
        case 3:
          thread.push_back({EventKind::Signal, object});
          break;
        case 4:
          thread.push_back({EventKind::Read, object});
          break;
        default:
          thread.push_back({EventKind::Write, object});
      }
    }
  }
  return program;
}

TEST_P(RandomPrograms, pruning_loses_no_class_at_any_cost) {
  Random random{11};
  std::uint64_t pruned_schedules = 0;
  std::uint64_t all_schedules = 0;
  std::uint64_t early_timeouts = 0;
  for (int i = 0; i < 100; ++i) {
    const Program program = small_random_program(random, GetParam() == SearchMode::Unbounded ? 2 : 3);
    const SearchResult all = search_all(program, {GetParam(), 2, false});
    const SearchResult pruned = search_all(program, {GetParam(), 2, true});
    for (std::uint32_t cost = 0; cost <= 2; ++cost) {
      ASSERT_EQ(pruned.classes_up_to(cost), all.classes_up_to(cost)) << i << ' ' << cost;
    }
    ASSERT_EQ(pruned.deadlocks == 0, all.deadlocks == 0);
    pruned_schedules += pruned.total();
    all_schedules += all.total();
    early_timeouts += pruned.early_timeouts;
  }
  EXPECT_LT(pruned_schedules, all_schedules);
  EXPECT_GT(early_timeouts, 100u);
}

TEST_P(RandomPrograms, many_workers_run_the_same_schedules) {
  Random random{12};
  for (int i = 0; i < 50; ++i) {
    const Program program = small_random_program(random, 2);
    const SearchResult one = search_all(program, {GetParam(), 2, false});
    const SearchResult four = search_all(program, {GetParam(), 2, false}, 4);
    ASSERT_EQ(one.schedules, four.schedules);
    ASSERT_EQ(one.classes, four.classes);
    const SearchResult pruned = search_all(program, {GetParam(), 2, true}, 4);
    ASSERT_EQ(pruned.classes_up_to(2), one.classes_up_to(2));
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, RandomPrograms,
                         ::testing::Values(SearchMode::Preemptions, SearchMode::Delays, SearchMode::Unbounded));

TEST(SystematicSearch, waits_for_a_round_to_finish_before_it_begins_the_next) {
  SystematicSearch search{{SearchMode::Preemptions, 2, false}};
  const Program program = independent(2, 3);
  const SearchItem first = *search.next();
  EXPECT_EQ(search.next(), std::nullopt);
  EXPECT_TRUE(search.waiting());
  EXPECT_EQ(search.bound_completed(), std::nullopt);
  const FinishedRun run = run_item(program, first, SearchMode::Preemptions);
  search.finished(first, run.log, run.overflown);
  EXPECT_EQ(search.bound_completed(), 0u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(search.next()->cost, 1u);
  EXPECT_EQ(search.next(), std::nullopt);
}

TEST(SystematicSearch, returns_the_deepest_schedule_first) {
  SystematicSearch search{{SearchMode::Unbounded, 0, false}};
  const Program program = independent(2, 4);
  std::uint64_t last_step = 0;
  for (int i = 0; i < 3; ++i) {
    const SearchItem item = *search.next();
    EXPECT_GE(item.parent_step, last_step);
    last_step = item.parent_step;
    const FinishedRun run = run_item(program, item, SearchMode::Unbounded);
    search.finished(item, run.log, run.overflown);
  }
  EXPECT_EQ(last_step, 8u);
}

TEST(SystematicSearch, claims_nothing_if_a_log_was_full) {
  const SearchResult result = search_all(independent(2, 6), {SearchMode::Preemptions, 2, false}, 1, 30);
  EXPECT_EQ(result.bound_completed, std::nullopt);
  EXPECT_FALSE(result.complete);
  EXPECT_GT(result.total(), 1u);
}

TEST(SystematicSearch, claims_the_rounds_before_a_log_was_full) {
  SystematicSearch search{{}};
  const Program program = independent(2, 3);
  const SearchItem first = *search.next();
  const FinishedRun run = run_item(program, first, SearchMode::Preemptions);
  search.finished(first, run.log, false);
  while (const std::optional<SearchItem> item = search.next()) search.finished(*item, {}, true);
  EXPECT_EQ(search.bound_completed(), 0u);
  EXPECT_FALSE(search.complete());
}

// The order of locking determines the order of writing, so only locking needs to be a choice.
TEST(SystematicSearch, reaches_all_classes_with_choices_only_at_locks) {
  const Program program = locking(3);
  SearchOptions some{SearchMode::Unbounded, 0, true};
  some.is_choice = [](const Decision& decision) {
    for (const format::PendingRecord& pending : decision.pending)
      if (pending.thread == decision.record.chosen) return pending.kind == EventKind::Lock;
    return true;
  };
  const SearchResult fewer = search_all(program, some);
  const SearchResult all = search_all(program, {SearchMode::Unbounded, 0, true});
  EXPECT_TRUE(fewer.complete);
  EXPECT_EQ(fewer.classes_up_to(0), all.classes_up_to(0));
  EXPECT_LT(fewer.total(), all.total() / 2);
}

}  // namespace
}  // namespace heddle::explore
