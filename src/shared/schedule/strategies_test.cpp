#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "schedule/made_strategy_test.h"
#include "schedule/make_strategy.h"
#include "schedule/policy/random_strategy.h"
#include "schedule/policy/round_robin_strategy.h"
#include "schedule/policy/sequential_strategy.h"
#include "schedule/replay/replay_strategy.h"
#include "schedule/simulated_program.h"

namespace heddle::schedule {
namespace {

using Order = SequentialStrategy::Order;

std::vector<Pending> offer(std::initializer_list<std::uint32_t> threads) {
  std::vector<Pending> pending;
  for (const std::uint32_t t : threads) pending.push_back({ThreadId{t}, format::EventKind::Read, SiteId{1}, 1});
  return pending;
}

Situation at_point(std::uint32_t current) { return {Question::Run, ThreadId{current}, true, false, 1, 0}; }
Situation blocked(std::uint32_t current) { return {Question::Run, ThreadId{current}, false, false, 1, 0}; }
Situation yielding(std::uint32_t current) { return {Question::Run, ThreadId{current}, false, true, 1, 0}; }
Situation waking(std::uint32_t current) { return {Question::Wake, ThreadId{current}, true, false, 1, 0}; }

TEST(SequentialStrategy, keeps_the_current_thread_while_it_is_runnable) {
  for (const Order order : {Order::ById, Order::ByReverseId, Order::Random}) {
    SequentialStrategy strategy{order, 1};
    EXPECT_EQ(strategy.choose(at_point(2), offer({0, 1, 2, 3})), ThreadId{2});
    EXPECT_GT(strategy.points_until_choice(), 1u << 30);
  }
}

TEST(SequentialStrategy, takes_the_lowest_the_highest_or_any_thread_when_the_current_one_blocks) {
  SequentialStrategy by_id{Order::ById, 1};
  EXPECT_EQ(by_id.choose(blocked(2), offer({1, 3, 5})), ThreadId{1});
  SequentialStrategy by_reverse_id{Order::ByReverseId, 1};
  EXPECT_EQ(by_reverse_id.choose(blocked(2), offer({1, 3, 5})), ThreadId{5});
  SequentialStrategy any{Order::Random, 1};
  std::set<ThreadId> chosen;
  for (int i = 0; i < 100; ++i) chosen.insert(*any.choose(blocked(2), offer({1, 3, 5})));
  EXPECT_EQ(chosen.size(), 3u);
}

TEST(SequentialStrategy, runs_every_thread_when_all_yield) {
  for (const Order order : {Order::ById, Order::ByReverseId, Order::Random}) {
    SequentialStrategy strategy{order, 1};
    std::set<std::uint32_t> ran;
    std::uint32_t current = 0;
    for (int i = 0; i < 100; ++i) {
      std::vector<Pending> others = offer({0, 1, 2, 3});
      std::erase_if(others, [current](const Pending& p) { return number(p.thread) == current; });
      current = number(*strategy.choose(yielding(current), others));
      ran.insert(current);
    }
    EXPECT_EQ(ran.size(), 4u);
  }
}

TEST(SequentialStrategy, wakes_the_thread_that_is_offered_first) {
  SequentialStrategy by_id{Order::ById, 1};
  EXPECT_EQ(by_id.choose(waking(0), offer({4, 2, 3})), ThreadId{4});
}

TEST(RoundRobinStrategy, runs_the_threads_in_cyclic_order_of_ids) {
  RoundRobinStrategy strategy{10};
  EXPECT_EQ(strategy.points_until_choice(), 10u);
  EXPECT_EQ(strategy.choose(at_point(0), offer({0, 1, 3})), ThreadId{1});
  EXPECT_EQ(strategy.choose(at_point(1), offer({0, 1, 3})), ThreadId{3});
  EXPECT_EQ(strategy.choose(at_point(3), offer({0, 1, 3})), ThreadId{0});
  EXPECT_EQ(strategy.choose(blocked(2), offer({0, 1, 3})), ThreadId{3});
  EXPECT_EQ(strategy.choose(at_point(1), offer({1})), ThreadId{1});
  EXPECT_EQ(strategy.choose(waking(0), offer({4, 2})), ThreadId{4});
  EXPECT_EQ(RoundRobinStrategy{0}.points_until_choice(), 1u);
}

TEST(RoundRobinStrategy, gives_every_thread_a_long_quantum_occasionally) {
  RoundRobinStrategy strategy{3};
  std::map<ThreadId, std::uint64_t> longest;
  std::uint64_t total = 0;
  ThreadId current{0};
  constexpr int kTurns = 4096;
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::uint64_t points = strategy.points_until_choice();
    longest[current] = std::max(longest[current], points);
    total += points;
    current = *strategy.choose(at_point(number(current)), offer({0, 1}));
  }
  EXPECT_GE(longest[ThreadId{0}], 3u * 32);
  EXPECT_EQ(longest[ThreadId{0}], longest[ThreadId{1}]);
  // The average stays close to the quantum.
  EXPECT_LT(total, 3u * kTurns * 6 / 5);
}

TEST(RandomStrategy, chooses_at_every_point_with_quantum_1) {
  RandomStrategy strategy{1, 1};
  for (int i = 0; i < 100; ++i) ASSERT_EQ(strategy.points_until_choice(), 1u);
}

TEST(RandomStrategy, chooses_uniformly_among_all_pending_threads) {
  RandomStrategy strategy{7, 10};
  std::map<ThreadId, int> chosen;
  constexpr int kDraws = 30000;
  for (int i = 0; i < kDraws; ++i) ++chosen[*strategy.choose(at_point(1), offer({0, 1, 2}))];
  // Five standard deviations of a binomial with p = 1/3.
  for (const auto& [thread, times] : chosen) EXPECT_NEAR(times, kDraws / 3, 5 * 82);
  EXPECT_EQ(chosen.size(), 3u);
}

TEST(Geometric, has_the_mean_the_variance_and_the_share_of_ones_of_its_distribution) {
  for (const std::uint64_t mean : {1u, 2u, 3u, 20u, 1000u}) {
    const Geometric geometric{mean};
    Random random{mean};
    constexpr int kDraws = 200'000;
    double sum = 0;
    double squares = 0;
    int ones = 0;
    for (int i = 0; i < kDraws; ++i) {
      const auto drawn = static_cast<double>(geometric.draw(random));
      ASSERT_GE(drawn, 1);
      sum += drawn;
      squares += drawn * drawn;
      ones += drawn == 1;
    }
    const auto m = static_cast<double>(mean);
    const double variance = m * m - m;
    EXPECT_NEAR(sum / kDraws, m, 5 * m / 447 + 1e-9);  // five standard errors
    EXPECT_NEAR(squares / kDraws - (sum / kDraws) * (sum / kDraws), variance, 0.05 * variance + 1e-6);
    EXPECT_NEAR(ones, kDraws / m, 5 * 448 + 1);
  }
}

TEST(Geometric, is_memoryless) {
  const Geometric geometric{50};
  Random random{3};
  // The mean of the excess over 70 equals the mean of all draws.
  double sum = 0;
  int beyond = 0;
  for (int i = 0; i < 400'000; ++i) {
    const std::uint64_t drawn = geometric.draw(random);
    if (drawn <= 70) continue;
    sum += static_cast<double>(drawn - 70);
    ++beyond;
  }
  EXPECT_NEAR(sum / beyond, 50, 1);
}

TEST(Geometric, draws_the_same_numbers_on_every_machine) {
  const Geometric geometric{100};
  Random random{1};
  std::uint64_t hash = 0;
  for (int i = 0; i < 1000; ++i) hash = hash * 31 + geometric.draw(random);
  EXPECT_EQ(hash, 12380880694464866058u);
}

class EveryStrategy : public ::testing::TestWithParam<format::StrategyKind> {};

Execution execute(const Program& program, format::StrategyKind kind, std::uint64_t seed) {
  return SimulatedRun{program, made_strategy(config_of(kind, seed))}.run();
}

TEST_P(EveryStrategy, repeats_the_run_for_the_same_seed_and_program) {
  Random random{5};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Program program = random_program(random, 4, 30);
    const Execution first = execute(program, GetParam(), seed);
    const Execution second = execute(program, GetParam(), seed);
    ASSERT_EQ(first.order, second.order);
    ASSERT_EQ(first.hash, second.hash);
    ASSERT_GT(first.steps, 0u);
  }
}

TEST_P(EveryStrategy, finishes_a_program_without_waits) {
  Random random{6};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Program program = random_program(random, 5, 40);
    std::size_t operations = 0;
    for (auto& thread : program) {
      std::erase_if(thread, [](const Operation& at) { return at.kind == format::EventKind::Wait; });
      operations += thread.size();
    }
    const Execution execution = execute(program, GetParam(), seed);
    ASSERT_EQ(execution.end, Execution::End::Finished);
    ASSERT_EQ(execution.order.size(), operations);
  }
}

// Two threads spin on each other in turn, and on a third one.
TEST_P(EveryStrategy, finishes_a_program_that_spins) {
  using format::EventKind;
  const auto spin = [](std::uint32_t object) {
    Operation operation{EventKind::AtomicRead, object, SiteId{1}};
    operation.spins = true;
    return operation;
  };
  const Program program{{spin(1), {EventKind::Write, 2}, spin(3), {EventKind::Write, 4}},
                        {spin(2), {EventKind::Write, 3}, spin(4)},
                        {{EventKind::Write, 9}, {EventKind::Write, 1}}};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Execution execution = SimulatedRun{program, made_strategy(config_of(GetParam(), seed)), false, 50}.run();
    ASSERT_EQ(execution.end, Execution::End::Finished);
    ASSERT_LT(execution.steps, 2000u);
  }
}

bool takes_early_timeouts(format::StrategyKind kind) {
  using format::StrategyKind;
  return kind == StrategyKind::Random || kind == StrategyKind::Pct || kind == StrategyKind::Pos ||
         kind == StrategyKind::Surw;
}

Operation timed_wait() {
  Operation wait{format::EventKind::Wait, 1, SiteId{2}};
  wait.timed = true;
  return wait;
}

// The second thread works for a while before it signals.
TEST_P(EveryStrategy, fires_a_timeout_early_in_some_runs_if_it_samples_schedules) {
  using format::EventKind;
  Program program{{timed_wait(), {EventKind::Write, 7, SiteId{1}}}, {}};
  program[1].assign(20, {EventKind::Write, 7, SiteId{3}});
  program[1].push_back({EventKind::Signal, 1});
  int early = 0;
  int woken = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Execution execution = execute(program, GetParam(), seed);
    ASSERT_EQ(execution.end, Execution::End::Finished);
    ASSERT_LE(execution.early_timeouts, 1u);
    (execution.early_timeouts == 0 ? woken : early) += 1;
  }
  EXPECT_EQ(early > 0, takes_early_timeouts(GetParam()));
  EXPECT_GT(woken, 0);
}

// An exact replay makes the same run, early time-outs included.
TEST_P(EveryStrategy, makes_early_timeouts_that_replay) {
  using format::EventKind;
  Program program{{timed_wait(), timed_wait(), {EventKind::Write, 7, SiteId{1}}},
                  {timed_wait(), {EventKind::Read, 7, SiteId{4}}},
                  std::vector<Operation>(12, {EventKind::Write, 7, SiteId{3}})};
  std::uint32_t early = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Execution recorded = execute(program, GetParam(), seed);
    ReplayStrategy replay{recorded.runs, recorded.choices, SimulatedRun::thread_of};
    const Execution replayed = SimulatedRun{program, replay, true}.run();
    ASSERT_EQ(replayed.hash, recorded.hash);
    ASSERT_EQ(replayed.order, recorded.order);
    ASSERT_EQ(replayed.early_timeouts, recorded.early_timeouts);
    early += recorded.early_timeouts;
  }
  EXPECT_EQ(early > 0, takes_early_timeouts(GetParam()));
}

// Another thread may be in a timed wait.
TEST_P(EveryStrategy, gives_the_turn_of_a_yield_to_the_only_thread_that_is_ready) {
  for (std::uint32_t current = 0; current < 3; ++current) {
    for (std::uint32_t other = 0; other < 3; ++other) {
      if (other == current) continue;
      for (const bool timed : {false, true}) {
        Strategy& strategy = made_strategy(config_of(GetParam(), 3));
        strategy.points_until_choice();
        std::vector<Pending> pending = offer({other});
        Situation situation = yielding(current);
        if (timed) {
          Pending waiting = offer({3 - current - other}).front();
          waiting.offer = Offer::Early;
          pending.insert(waiting.thread < pending[0].thread ? pending.begin() : pending.end(), waiting);
          situation.all_ready = false;
        }
        const std::optional<ThreadId> chosen = strategy.choose(situation, pending);
        ASSERT_TRUE(chosen.has_value());
        EXPECT_NE(*chosen, ThreadId{current});
        if (!timed || !takes_early_timeouts(GetParam())) EXPECT_EQ(*chosen, ThreadId{other});
      }
    }
  }
}

// Two threads poll, by yields or by timed waits. The third one runs at least once between three polls of each of them.
TEST_P(EveryStrategy, lets_no_thread_starve_beside_two_that_poll) {
  using format::EventKind;
  constexpr std::size_t kPolls = 100;
  constexpr std::size_t kWrites = 5;
  const Operation yield{EventKind::Yield};
  for (const Operation& poll : {yield, timed_wait()}) {
    for (std::uint32_t worker = 0; worker < 3; ++worker) {
      for (std::uint64_t seed = 0; seed < 30; ++seed) {
        Program program(3, std::vector<Operation>(kPolls, poll));
        program[worker].assign(kWrites, {EventKind::Write, 7, SiteId{3}});
        const Execution execution = execute(program, GetParam(), seed);
        ASSERT_EQ(execution.end, Execution::End::Finished);
        ASSERT_LE(position(execution, worker, kWrites - 1), kWrites + 2 * 2 * (kWrites + 1));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryStrategy,
                         ::testing::Values(format::StrategyKind::Sequential, format::StrategyKind::SequentialReverse,
                                           format::StrategyKind::SequentialRandom, format::StrategyKind::RoundRobin,
                                           format::StrategyKind::Random, format::StrategyKind::Pct,
                                           format::StrategyKind::Pos, format::StrategyKind::Surw,
                                           format::StrategyKind::Systematic));

std::size_t bytes_allocated = 0;

TEST(MakeStrategy, reuses_the_memory_of_the_previous_strategy) {
  const auto storage = std::make_unique<StrategyStorage>();
  StrategyInputs inputs;
  inputs.thread_of = SimulatedRun::thread_of;
  inputs.memory = [](std::size_t bytes) {
    bytes_allocated += bytes;
    return allocate_zeroed(bytes);
  };
  Random random{5};
  const Program program = random_program(random, 10, 30);
  std::size_t after_the_first = 0;
  for (int i = 0; i < 100; ++i) {
    for (const auto kind : {format::StrategyKind::Pct, format::StrategyKind::Pos, format::StrategyKind::Surw}) {
      const Execution again =
          SimulatedRun{program, *make_strategy(config_of(kind, 7), inputs, *storage).strategy}.run();
      EXPECT_EQ(again.hash, execute(program, kind, 7).hash);
    }
    if (i == 0) after_the_first = bytes_allocated;
  }
  EXPECT_GT(after_the_first, 0u);
  EXPECT_EQ(bytes_allocated, after_the_first);
}

TEST(MakeStrategy, returns_replay_strategies_by_their_own_type) {
  format::SessionConfig config{};
  const auto storage = std::make_unique<StrategyStorage>();
  std::array<PlaceCount, 2> places;
  storage->site_replay = {places, {}, {}};
  config.strategy = format::StrategyKind::Replay;
  const MadeStrategy exact = make_strategy(config, {}, *storage);
  EXPECT_EQ(exact.replay, exact.strategy);
  EXPECT_EQ(exact.site_replay, nullptr);
  config.strategy = format::StrategyKind::ReplayBySite;
  const MadeStrategy by_site = make_strategy(config, {}, *storage);
  EXPECT_EQ(by_site.site_replay, by_site.strategy);
  EXPECT_EQ(by_site.replay, nullptr);
  config.strategy = format::StrategyKind::Random;
  const MadeStrategy random = make_strategy(config, {}, *storage);
  EXPECT_EQ(random.replay, nullptr);
  EXPECT_EQ(random.site_replay, nullptr);
}

TEST(RandomStrategy, makes_different_runs_for_different_seeds) {
  Random random{5};
  const Program program = random_program(random, 4, 30);
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    hashes.insert(execute(program, format::StrategyKind::Random, seed).hash);
  }
  EXPECT_GT(hashes.size(), 15u);
}

}  // namespace
}  // namespace heddle::schedule
