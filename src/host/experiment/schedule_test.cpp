#include "experiment/schedule.h"

#include <gtest/gtest.h>

namespace heddle::experiment {
namespace {

constexpr bool kStopped = false, kForced = true;

// A is stopped at 5, B at 7, A goes on to 9, B to its end.
Plan two_threads() {
  return {{"0.1", "0.2"}, {{0, 5, kStopped}, {1, 7, kStopped}, {0, 9, kForced}, {1, 12, kForced}}, {}, {}};
}

TEST(Plan, a_thread_that_is_not_stopped_goes_on_at_once) {
  EXPECT_EQ(without_stops(two_threads(), {0}).turns, (std::vector<Turn>{{0, 9, kForced}, {1, 12, kForced}}));
  EXPECT_EQ(without_stops(two_threads(), {1}).turns,
            (std::vector<Turn>{{0, 5, kStopped}, {1, 12, kForced}, {0, 9, kForced}}));
  EXPECT_EQ(without_stops(two_threads(), {}).turns, two_threads().turns);
}

TEST(Plan, the_last_stop_of_a_thread_is_left_out_too) {
  Plan plan{{"0.1", "0.2"}, {{0, 5, kStopped}, {1, 12, kForced}}, {}, {}};
  EXPECT_EQ(without_stops(plan, {0}).turns, (std::vector<Turn>{{0, 5, kForced}, {1, 12, kForced}}));
}

TEST(Plan, all_stops_left_out_is_one_turn_a_thread) {
  const Plan plan{{"0", "0.1", "0.2"},
                  {{0, 3, kStopped},
                   {1, 1, kStopped},
                   {2, 1, kStopped},
                   {1, 4, kStopped},
                   {2, 6, kForced},
                   {0, 8, kForced},
                   {1, 9, kForced}},
                  {},
                  {}};
  EXPECT_EQ(without_stops(plan, {0, 1, 2, 3}).turns,
            (std::vector<Turn>{{0, 8, kForced}, {1, 9, kForced}, {2, 6, kForced}}));
}

TEST(Plan, what_is_postponed_is_done_in_the_next_turn) {
  EXPECT_EQ(postponed(two_threads(), 1).turns, (std::vector<Turn>{{0, 9, kForced}, {1, 12, kForced}}));
  EXPECT_EQ(postponed(two_threads(), 0).turns,
            (std::vector<Turn>{{1, 7, kStopped}, {0, 9, kForced}, {1, 12, kForced}}));
}

TEST(Plan, children_go_with_their_parents) {
  const Plan plan{
      {"0", "0.1", "0.1.1", "0.2", "0.10"},
      {{0, 3, kForced}, {1, 2, kStopped}, {2, 4, kForced}, {3, 1, kStopped}, {4, 2, kForced}, {3, 5, kForced}},
      {2, 3},
      {}};
  const Plan projected = without_threads(plan, {"0.1"});
  EXPECT_EQ(projected.threads, (std::vector<std::string>{"0", "0.2", "0.10"}));
  EXPECT_EQ(projected.turns, (std::vector<Turn>{{0, 3, kForced}, {1, 1, kStopped}, {2, 2, kForced}, {1, 5, kForced}}));
  EXPECT_EQ(projected.choices, std::vector<std::uint32_t>{1});
  EXPECT_EQ(projected.omitted.threads, std::vector<std::string>{"0.1"});
}

TEST(Plan, a_descent_is_not_a_prefix_of_digits) {
  EXPECT_TRUE(descends_from("0.1.2", "0.1"));
  EXPECT_TRUE(descends_from("0.1", "0.1"));
  EXPECT_FALSE(descends_from("0.10", "0.1"));
}

TEST(Plan, of_a_run_counts_each_threads_own_points) {
  run::Decisions decisions;
  decisions.threads = {{}, {0, 1, 1}, {0, 2, 2}};
  decisions.runs = {{0, 3, 0, 0, {}, false}, {1, 2, 0, 0, {}, true}, {2, 4, 0, 0, {}, false}, {1, 5, 0, 0, {}, false}};
  decisions.choices = {2};
  const Plan plan = plan_of(decisions, {});
  EXPECT_EQ(plan.turns, (std::vector<Turn>{{0, 3, kForced}, {1, 2, kStopped}, {2, 4, kForced}, {1, 7, kForced}}));
  EXPECT_EQ(plan.choices, std::vector<std::uint32_t>{2});
  EXPECT_EQ(preemptions_of(plan), std::vector<std::uint32_t>{1});
}

TEST(Plan, fingerprints_differ_where_runs_would) {
  const Plan plan = two_threads();
  Plan moved = plan, other = plan, disabled = plan;
  moved.turns[0].points = 6;
  other.threads[0] = "0.3";
  disabled.omitted.threads = {"0.4"};
  EXPECT_EQ(fingerprint(plan), fingerprint(two_threads()));
  for (const Plan& different : {moved, other, disabled}) EXPECT_NE(fingerprint(plan), fingerprint(different));
}

TEST(Plan, points_that_are_gone_move_later_stops) {
  const Plan plan{{"0.1", "0.2"}, {{0, 5, kStopped}, {1, 7, kStopped}, {0, 9, kForced}, {1, 12, kForced}}, {}, {}};
  EXPECT_EQ(without_points(plan, "0.1", {{2, 4}}).turns,
            (std::vector<Turn>{{0, 3, kStopped}, {1, 7, kStopped}, {0, 7, kForced}, {1, 12, kForced}}));
  // A stop in the middle of them is one at what comes next.
  EXPECT_EQ(without_points(plan, "0.1", {{3, 8}}).turns,
            (std::vector<Turn>{{0, 3, kStopped}, {1, 7, kStopped}, {0, 4, kForced}, {1, 12, kForced}}));
}

TEST(Plan, threads_that_are_not_made_let_those_after_them_move_up) {
  Plan plan;
  plan.threads = {"0", "0.2", "0.3", "0.3.1", "0.5"};
  plan.omitted.threads = {"0.1", "0.4"};
  plan.omitted.iterations = {{"0.5", "loop", 1, 2}};
  plan.turns = {{0, 1, true}, {1, 2, true}, {2, 3, true}, {3, 4, true}, {4, 5, true}};
  const Plan left = without_making(plan, {"0.1", "0.2"});
  EXPECT_EQ(left.threads, (std::vector<std::string>{"0", "0.1", "0.1.1", "0.3"}));
  EXPECT_EQ(left.omitted.threads, std::vector<std::string>{"0.2"});
  EXPECT_EQ(left.omitted.iterations.front().thread, "0.3");
  EXPECT_EQ(left.turns.size(), 4u);
}

}  // namespace
}  // namespace heddle::experiment
