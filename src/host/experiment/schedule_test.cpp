#include "experiment/schedule.h"

#include <gtest/gtest.h>

namespace heddle::experiment {
namespace {

constexpr bool kStopped = false, kForced = true;

// A is stopped at 5, B at 7, A goes on to 9, B to its end.
Schedule two_threads() {
  return {{"0.1", "0.2"}, {{0, 5, kStopped}, {1, 7, kStopped}, {0, 9, kForced}, {1, 12, kForced}}, {}, {}};
}

TEST(Schedule, a_thread_that_is_not_stopped_goes_on_at_once) {
  EXPECT_EQ(without_stops(two_threads(), {0}).turns, (std::vector<Turn>{{0, 9, kForced}, {1, 12, kForced}}));
  EXPECT_EQ(without_stops(two_threads(), {1}).turns,
            (std::vector<Turn>{{0, 5, kStopped}, {1, 12, kForced}, {0, 9, kForced}}));
  EXPECT_EQ(without_stops(two_threads(), {}).turns, two_threads().turns);
}

TEST(Schedule, the_last_stop_of_a_thread_is_left_out_too) {
  Schedule schedule{{"0.1", "0.2"}, {{0, 5, kStopped}, {1, 12, kForced}}, {}, {}};
  EXPECT_EQ(without_stops(schedule, {0}).turns, (std::vector<Turn>{{0, 5, kForced}, {1, 12, kForced}}));
}

TEST(Schedule, all_stops_left_out_is_one_turn_a_thread) {
  const Schedule schedule{{"0", "0.1", "0.2"},
                          {{0, 3, kStopped},
                           {1, 1, kStopped},
                           {2, 1, kStopped},
                           {1, 4, kStopped},
                           {2, 6, kForced},
                           {0, 8, kForced},
                           {1, 9, kForced}},
                          {},
                          {}};
  EXPECT_EQ(without_stops(schedule, {0, 1, 2, 3}).turns,
            (std::vector<Turn>{{0, 8, kForced}, {1, 9, kForced}, {2, 6, kForced}}));
}

TEST(Schedule, what_is_postponed_is_done_in_the_next_turn) {
  EXPECT_EQ(postponed(two_threads(), 1).turns, (std::vector<Turn>{{0, 9, kForced}, {1, 12, kForced}}));
  EXPECT_EQ(postponed(two_threads(), 0).turns,
            (std::vector<Turn>{{1, 7, kStopped}, {0, 9, kForced}, {1, 12, kForced}}));
}

TEST(Schedule, children_go_with_their_parents) {
  const Schedule schedule{
      {"0", "0.1", "0.1.1", "0.2", "0.10"},
      {{0, 3, kForced}, {1, 2, kStopped}, {2, 4, kForced}, {3, 1, kStopped}, {4, 2, kForced}, {3, 5, kForced}},
      {2, 3},
      {}};
  const Schedule projected = without_threads(schedule, {"0.1"});
  EXPECT_EQ(projected.threads, (std::vector<std::string>{"0", "0.2", "0.10"}));
  EXPECT_EQ(projected.turns, (std::vector<Turn>{{0, 3, kForced}, {1, 1, kStopped}, {2, 2, kForced}, {1, 5, kForced}}));
  EXPECT_EQ(projected.choices, std::vector<std::uint32_t>{1});
  EXPECT_EQ(projected.omitted.threads, std::vector<std::string>{"0.1"});
}

TEST(Schedule, a_descent_is_not_a_prefix_of_digits) {
  EXPECT_TRUE(descends_from("0.1.2", "0.1"));
  EXPECT_TRUE(descends_from("0.1", "0.1"));
  EXPECT_FALSE(descends_from("0.10", "0.1"));
}

TEST(Schedule, of_a_run_counts_each_threads_own_points) {
  run::Decisions decisions;
  decisions.threads = {{}, {0, 1, 1}, {0, 2, 2}};
  decisions.runs = {{0, 3, 0, 0, {}, false}, {1, 2, 0, 0, {}, true}, {2, 4, 0, 0, {}, false}, {1, 5, 0, 0, {}, false}};
  decisions.choices = {2};
  const Schedule schedule = schedule_of(decisions, {});
  EXPECT_EQ(schedule.turns, (std::vector<Turn>{{0, 3, kForced}, {1, 2, kStopped}, {2, 4, kForced}, {1, 7, kForced}}));
  EXPECT_EQ(schedule.choices, std::vector<std::uint32_t>{2});
  EXPECT_EQ(preemptions_of(schedule), std::vector<std::uint32_t>{1});
}

TEST(Schedule, fingerprints_differ_where_runs_would) {
  const Schedule schedule = two_threads();
  Schedule moved = schedule, other = schedule, disabled = schedule;
  moved.turns[0].points = 6;
  other.threads[0] = "0.3";
  disabled.omitted.threads = {"0.4"};
  EXPECT_EQ(fingerprint(schedule), fingerprint(two_threads()));
  for (const Schedule& different : {moved, other, disabled}) EXPECT_NE(fingerprint(schedule), fingerprint(different));
}

TEST(Schedule, points_that_are_gone_move_later_stops) {
  const Schedule schedule{
      {"0.1", "0.2"}, {{0, 5, kStopped}, {1, 7, kStopped}, {0, 9, kForced}, {1, 12, kForced}}, {}, {}};
  EXPECT_EQ(without_points(schedule, "0.1", {{2, 4}}).turns,
            (std::vector<Turn>{{0, 3, kStopped}, {1, 7, kStopped}, {0, 7, kForced}, {1, 12, kForced}}));
  // A stop in the middle of them is one at what comes next.
  EXPECT_EQ(without_points(schedule, "0.1", {{3, 8}}).turns,
            (std::vector<Turn>{{0, 3, kStopped}, {1, 7, kStopped}, {0, 4, kForced}, {1, 12, kForced}}));
}

TEST(Schedule, threads_that_are_not_made_let_those_after_them_move_up) {
  Schedule schedule;
  schedule.threads = {"0", "0.2", "0.3", "0.3.1", "0.5"};
  schedule.omitted.threads = {"0.1", "0.4"};
  schedule.omitted.iterations = {{"0.5", "loop", 1, 2}};
  schedule.turns = {{0, 1, true}, {1, 2, true}, {2, 3, true}, {3, 4, true}, {4, 5, true}};
  const Schedule left = without_making(schedule, {"0.1", "0.2"});
  EXPECT_EQ(left.threads, (std::vector<std::string>{"0", "0.1", "0.1.1", "0.3"}));
  EXPECT_EQ(left.omitted.threads, std::vector<std::string>{"0.2"});
  EXPECT_EQ(left.omitted.iterations.front().thread, "0.3");
  EXPECT_EQ(left.turns.size(), 4u);
}

TEST(Turns, end_at_the_next_point_of_their_thread) {
  const Schedule schedule{
      {"0", "0.1"}, {turn_until(kMainThread, 5), turn_until(ThreadId{1}, 2), turn_until(kMainThread, 6)}, {}, {}};
  const Result<run::SessionInputs> inputs = inputs_of(schedule);
  ASSERT_TRUE(inputs.ok());
  ASSERT_EQ(inputs->runs.size(), 3u);
  EXPECT_EQ(inputs->runs[0].points, 6u);
  EXPECT_EQ(inputs->runs[1].points, 3u);
  EXPECT_EQ(inputs->runs[2].points, 7u);
  EXPECT_EQ(inputs->runs[0].forced, 0u);
  EXPECT_EQ(points_done(schedule.turns[0]), 5u);
}

TEST(Turns, do_not_wait_for_a_point_that_a_sleeping_thread_does_not_reach) {
  const Schedule schedule{{"0", "0.1"}, {turn_until(ThreadId{1}, 2, true, 3), turn_until(ThreadId{1}, 3)}, {}, {}};
  const Result<run::SessionInputs> inputs = inputs_of(schedule);
  ASSERT_TRUE(inputs.ok());
  ASSERT_EQ(inputs->runs.size(), 2u);
  EXPECT_EQ(inputs->runs[0].points, 2u);
  EXPECT_EQ(inputs->runs[0].forced, 1u);
  EXPECT_EQ(inputs->runs[0].check, 3u);
  EXPECT_EQ(inputs->runs[1].points, 4u);
  EXPECT_EQ(points_done(schedule.turns[0]), 2u);
}

run::Decisions made(LongList<run::Decisions::Run> runs) {
  run::Decisions decisions;
  decisions.threads = {{}, {.parent = 0, .ordinal = 1, .descent = 2}};
  decisions.runs = std::move(runs);
  return decisions;
}

TEST(Turns, are_followed_when_they_were_made_one_after_the_other) {
  const Turns turns{turn_until(kMainThread, 4), turn_until(ThreadId{1}, 2)};
  const std::vector<std::string> names{"0", "0.1"};
  const run::Decisions as_asked = made({{.thread = 0, .points = 5, .preemption = true}, {.thread = 1, .points = 3}});
  const run::Decisions too_early = made({{.thread = 0, .points = 4, .preemption = true}, {.thread = 1, .points = 3}});
  const run::Decisions cut_short = made({{.thread = 0, .points = 5, .preemption = true}, {.thread = 1, .points = 1}});
  EXPECT_TRUE(was_followed(turns, 2, as_asked, names, 0));
  EXPECT_FALSE(was_followed(turns, 2, too_early, names, 0));
  EXPECT_FALSE(was_followed(turns, 2, cut_short, names, 0));
}

TEST(Turns, in_which_a_thread_makes_no_point_are_left_out) {
  Turns turns;
  append(turns, turn_until(kMainThread, 4));
  append(turns, turn_until(ThreadId{1}, 2));
  append(turns, turn_until(kMainThread, 4));
  append(turns, turn_until(ThreadId{1}, 3));
  EXPECT_EQ(turns, (Turns{turn_until(kMainThread, 4), turn_until(ThreadId{1}, 3)}));
}

}  // namespace
}  // namespace heddle::experiment
