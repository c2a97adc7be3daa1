#include "schedule/policy/systematic_strategy.h"

#include <gtest/gtest.h>

#include <cstring>

#include "schedule/simulated_program.h"

namespace heddle::schedule {
namespace {

using format::Deviation;
using format::EventKind;
using DefaultOrder = SystematicStrategy::DefaultOrder;

struct LoggedDecision {
  format::DecisionRecord record;
  std::vector<format::PendingRecord> pending;
};

struct LoggedRun {
  Execution execution;
  std::vector<LoggedDecision> decisions;
  bool overflown = false;
  std::uint64_t times_asked = 0;
};

// Causes a choice at every point, regardless of points_until_choice().
class AskedAlways final : public StrategyOf<AskedAlways> {
 public:
  AskedAlways(SystematicStrategy& strategy, bool always) : strategy_(strategy), always_(always) {}
  std::optional<ThreadId> choose(const Situation& situation, std::span<const Pending> pending) override {
    ++times_asked;
    return strategy_.choose(situation, pending);
  }
  std::uint64_t points_until_choice() override {
    const std::uint64_t points = strategy_.points_until_choice();
    return always_ ? 1 : points;
  }
  std::uint64_t times_asked = 0;

 private:
  SystematicStrategy& strategy_;
  bool always_;
};

LoggedRun execute(const Program& program, const std::vector<Deviation>& deviations, DefaultOrder order,
                  bool ask_always = false, std::size_t log_words = 1 << 16, std::uint64_t fair_points = 0) {
  std::vector<std::uint64_t> words(log_words);
  format::DecisionLog log{77, 77};
  SystematicStrategy strategy{{deviations, words, &log, order, 0}};
  AskedAlways asked{strategy, ask_always};
  LoggedRun run;
  run.execution = SimulatedRun{program, asked, false, fair_points}.run();
  run.overflown = log.overflown != 0;
  run.times_asked = asked.times_asked;
  for (std::size_t at = 0; at < log.words;) {
    LoggedDecision decision;
    std::memcpy(&decision.record, &words[at], sizeof decision.record);
    at += sizeof decision.record / 8;
    decision.pending.resize(decision.record.count);
    std::memcpy(decision.pending.data(), &words[at], decision.pending.size() * sizeof(format::PendingRecord));
    at += decision.pending.size() * sizeof(format::PendingRecord) / 8;
    run.decisions.push_back(std::move(decision));
  }
  return run;
}

Program writers(std::uint32_t threads, std::uint32_t operations) {
  return Program(threads, std::vector<Operation>(operations, {EventKind::Write, 7, SiteId{5}}));
}

std::vector<std::uint32_t> threads_of(const Execution& execution) {
  std::vector<std::uint32_t> threads;
  for (const auto& [thread, operation] : execution.order) threads.push_back(thread);
  return threads;
}

TEST(SystematicStrategy, keeps_a_runnable_thread_and_then_takes_the_lowest_or_the_next) {
  const Program program{{{EventKind::Lock, 1}, {EventKind::Unlock, 1}},
                        {{EventKind::Lock, 1}, {EventKind::Unlock, 1}},
                        {{EventKind::Write, 7}}};
  // Thread 0 takes the lock and is preempted; thread 1 blocks on it.
  const std::vector<Deviation> deviations{{2, 0, 1}};
  EXPECT_EQ(threads_of(execute(program, deviations, DefaultOrder::Lowest).execution),
            (std::vector<std::uint32_t>{0, 0, 1, 1, 2}));
  EXPECT_EQ(threads_of(execute(program, deviations, DefaultOrder::NextInCycle).execution),
            (std::vector<std::uint32_t>{0, 2, 0, 1, 1}));
}

TEST(SystematicStrategy, logs_the_alternatives_of_each_choice) {
  const LoggedRun run = execute(writers(2, 2), {}, DefaultOrder::Lowest);
  ASSERT_EQ(run.decisions.size(), 2u);  // one before each step of the first thread; then only the second remains
  const format::DecisionRecord& first = run.decisions[0].record;
  EXPECT_EQ(first.step, 1u);
  EXPECT_EQ(first.nth, 0u);
  EXPECT_EQ(first.current, 0u);
  EXPECT_EQ(first.chosen, 0u);
  EXPECT_EQ(first.current_runnable, 1u);
  EXPECT_EQ(first.question, static_cast<std::uint8_t>(Question::Run));
  ASSERT_EQ(first.count, 2u);
  EXPECT_EQ(run.decisions[0].pending[0].thread, 0u);
  EXPECT_EQ(run.decisions[0].pending[0].kind, EventKind::Write);
  EXPECT_EQ(run.decisions[0].pending[0].site, 5u);
  EXPECT_EQ(run.decisions[0].pending[0].object, 7u);
  EXPECT_EQ(run.decisions[0].pending[1].thread, 1u);
  EXPECT_EQ(run.decisions[0].pending[1].kind, EventKind::Begin);
  EXPECT_NE(run.decisions[0].record.state, run.decisions[1].record.state);
  EXPECT_FALSE(run.overflown);
}

TEST(SystematicStrategy, logs_only_choices_after_the_last_deviation) {
  const LoggedRun run = execute(writers(2, 3), {{2, 0, 1}}, DefaultOrder::Lowest);
  ASSERT_FALSE(run.decisions.empty());
  EXPECT_EQ(run.decisions[0].record.step, 3u);
  EXPECT_EQ(run.decisions[0].record.current, 1u);
  EXPECT_EQ(threads_of(run.execution), (std::vector<std::uint32_t>{0, 1, 1, 1, 0, 0}));
}

TEST(SystematicStrategy, reports_a_full_log) {
  const LoggedRun all = execute(writers(2, 10), {}, DefaultOrder::Lowest, false, 100);
  EXPECT_EQ(all.decisions.size(), 10u);
  EXPECT_FALSE(all.overflown);
  const LoggedRun some = execute(writers(2, 10), {}, DefaultOrder::Lowest, false, 99);
  EXPECT_EQ(some.decisions.size(), 9u);
  EXPECT_TRUE(some.overflown);
  EXPECT_EQ(some.execution.order, all.execution.order);
}

TEST(SystematicStrategy, ends_the_run_when_a_deviation_is_not_possible) {
  EXPECT_EQ(execute(writers(2, 3), {{2, 0, 9}}, DefaultOrder::Lowest).execution.end, Execution::End::Diverged);
  // Step 2 has one choice, not two.
  EXPECT_EQ(execute(writers(2, 3), {{2, 1, 1}}, DefaultOrder::Lowest).execution.end, Execution::End::Diverged);
}

TEST(SystematicStrategy, two_threads_that_yield_to_each_other_do_not_starve_a_third) {
  Program program = writers(3, 1);
  Operation spin{EventKind::AtomicRead, 9};
  spin.spins = true;
  program[0] = {spin};
  program[1] = {spin};
  program[2] = {{EventKind::Write, 9}};
  for (const DefaultOrder order : {DefaultOrder::Lowest, DefaultOrder::NextInCycle}) {
    EXPECT_EQ(execute(program, {}, order, false, 1 << 16, 20).execution.end, Execution::End::Finished);
  }
}

// Each run deviates at a choice that the previous run logged, as a search does.
TEST(SystematicStrategy, makes_the_same_run_with_a_choice_at_every_point) {
  Random random{3};
  std::uint64_t deviations_made = 0;
  std::uint64_t asked = 0;
  std::uint64_t asked_always = 0;
  for (int i = 0; i < 200; ++i) {
    const Program program = random_program(random, 3, 15);
    const DefaultOrder order{random.below(2) != 0};
    const std::uint64_t fair_points = i % 4 == 0 ? 7 : 0;
    std::vector<Deviation> deviations;
    for (int depth = 0; depth < 6; ++depth) {
      const LoggedRun rarely = execute(program, deviations, order, false, 1 << 16, fair_points);
      const LoggedRun always = execute(program, deviations, order, true, 1 << 16, fair_points);
      ASSERT_NE(rarely.execution.end, Execution::End::Diverged);
      ASSERT_EQ(rarely.execution.order, always.execution.order);
      ASSERT_EQ(rarely.execution.hash, always.execution.hash);
      ASSERT_EQ(rarely.decisions.size(), always.decisions.size());
      asked += rarely.times_asked;
      asked_always += always.times_asked;
      if (rarely.decisions.empty()) break;
      const LoggedDecision& decision = rarely.decisions[random.below(rarely.decisions.size())];
      const std::uint32_t thread = decision.pending[random.below(decision.pending.size())].thread;
      if (thread == decision.record.chosen) continue;
      deviations.push_back({decision.record.step, decision.record.nth, thread});
      ++deviations_made;
    }
  }
  EXPECT_GT(deviations_made, 300u);
  EXPECT_LT(asked, asked_always);
}

std::vector<Pending> offer(std::initializer_list<std::uint32_t> threads) {
  std::vector<Pending> pending;
  for (const std::uint32_t t : threads) pending.push_back({ThreadId{t}, EventKind::Read, SiteId{1}, 1});
  return pending;
}

TEST(SystematicStrategy, a_copy_of_a_process_continues_in_the_middle_of_the_run) {
  const std::vector<Deviation> deviations{{5, 0, 1}, {20, 0, 2}, {20, 2, 1}, {30, 0, 0}};
  format::DecisionLog log{};
  SystematicStrategy strategy{{deviations, {}, &log, DefaultOrder::Lowest, 20}};
  EXPECT_EQ(strategy.points_until_choice(), 0u);  // the current point is that of a deviation
  EXPECT_EQ(strategy.choose({Question::Run, ThreadId{0}, true, false, 20, 0}, offer({0, 1, 2})), ThreadId{2});
  EXPECT_EQ(strategy.choose({Question::Run, ThreadId{2}, false, false, 20, 0}, offer({0, 1})), ThreadId{0});
  EXPECT_EQ(strategy.points_until_choice(), 1u);
  EXPECT_EQ(strategy.choose({Question::Wake, ThreadId{0}, true, false, 20, 0}, offer({2, 1})), ThreadId{1});
  EXPECT_EQ(strategy.points_until_choice(), 10u);
  EXPECT_EQ(strategy.choose({Question::Run, ThreadId{0}, false, false, 25, 0}, offer({1, 2})), ThreadId{1});
  EXPECT_EQ(strategy.points_until_choice(), 5u);
  EXPECT_EQ(strategy.choose({Question::Run, ThreadId{1}, true, false, 30, 0}, offer({0, 1})), ThreadId{0});
  EXPECT_EQ(strategy.points_until_choice(), 1u);
}

}  // namespace
}  // namespace heddle::schedule
