#include "experiment/schedule.h"

#include <gtest/gtest.h>

namespace heddle::experiment {
namespace {

constexpr bool kStopped = false, kForced = true;

// A is preempted at 5, B at 7; A continues to 9, B to its end.
Schedule two_threads() {
  return {{"0.1", "0.2"}, {{0, 5, kStopped}, {1, 7, kStopped}, {0, 9, kForced}, {1, 12, kForced}}, {}, {}};
}

TEST(Schedule, a_thread_without_its_stop_continues_with_its_next_turn) {
  EXPECT_EQ(without_stops(two_threads(), {0}).turns, (std::vector<Turn>{{0, 9, kForced}, {1, 12, kForced}}));
  EXPECT_EQ(without_stops(two_threads(), {1}).turns,
            (std::vector<Turn>{{0, 5, kStopped}, {1, 12, kForced}, {0, 9, kForced}}));
  EXPECT_EQ(without_stops(two_threads(), {}).turns, two_threads().turns);
}

TEST(Schedule, without_its_last_stop_a_thread_runs_until_it_blocks) {
  Schedule schedule{{"0.1", "0.2"}, {{0, 5, kStopped}, {1, 12, kForced}}, {}, {}};
  EXPECT_EQ(without_stops(schedule, {0}).turns, (std::vector<Turn>{{0, 5, kForced}, {1, 12, kForced}}));
}

TEST(Schedule, without_all_stops_each_thread_has_one_turn) {
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

TEST(Schedule, a_postponed_turn_merges_with_the_next_turn_of_its_thread) {
  EXPECT_EQ(postponed(two_threads(), 1).turns, (std::vector<Turn>{{0, 9, kForced}, {1, 12, kForced}}));
  EXPECT_EQ(postponed(two_threads(), 0).turns,
            (std::vector<Turn>{{1, 7, kStopped}, {0, 9, kForced}, {1, 12, kForced}}));
}

TEST(Schedule, disabling_a_thread_disables_its_children) {
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

TEST(Schedule, descent_compares_whole_ordinals) {
  EXPECT_TRUE(descends_from("0.1.2", "0.1"));
  EXPECT_TRUE(descends_from("0.1", "0.1"));
  EXPECT_FALSE(descends_from("0.10", "0.1"));
}

TEST(Schedule, of_a_run_counts_the_points_of_each_thread) {
  run::Decisions decisions;
  decisions.threads = {{}, {0, 1, 1}, {0, 2, 2}};
  decisions.runs = {{0, 3, 0, 0, {}, false}, {1, 2, 0, 0, {}, true}, {2, 4, 0, 0, {}, false}, {1, 5, 0, 0, {}, false}};
  decisions.choices = {2};
  const Schedule schedule = schedule_of(decisions, {});
  EXPECT_EQ(schedule.turns, (std::vector<Turn>{{0, 3, kForced}, {1, 2, kStopped}, {2, 4, kForced}, {1, 7, kForced}}));
  EXPECT_EQ(schedule.choices, std::vector<std::uint32_t>{2});
  EXPECT_EQ(preemptions_of(schedule), std::vector<std::uint32_t>{1});
}

TEST(Schedule, fingerprints_differ_if_the_requested_runs_differ) {
  const Schedule schedule = two_threads();
  Schedule moved = schedule, other = schedule, disabled = schedule;
  moved.turns[0].points = 6;
  other.threads[0] = "0.3";
  disabled.omitted.threads = {"0.4"};
  EXPECT_EQ(fingerprint(schedule), fingerprint(two_threads()));
  for (const Schedule& different : {moved, other, disabled}) EXPECT_NE(fingerprint(schedule), fingerprint(different));
}

TEST(Schedule, skipped_points_shift_later_stops) {
  const Schedule schedule{
      {"0.1", "0.2"}, {{0, 5, kStopped}, {1, 7, kStopped}, {0, 9, kForced}, {1, 12, kForced}}, {}, {}};
  EXPECT_EQ(without_points(schedule, "0.1", {{2, 4}}).turns,
            (std::vector<Turn>{{0, 3, kStopped}, {1, 7, kStopped}, {0, 7, kForced}, {1, 12, kForced}}));
  // A stop inside the range moves to the first point after it.
  EXPECT_EQ(without_points(schedule, "0.1", {{3, 8}}).turns,
            (std::vector<Turn>{{0, 3, kStopped}, {1, 7, kStopped}, {0, 4, kForced}, {1, 12, kForced}}));
}

TEST(Schedule, threads_that_are_not_created_lower_the_ordinals_of_later_siblings) {
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

TEST(Turns, of_a_sleeping_thread_end_at_its_last_completed_point) {
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

TEST(Turns, are_followed_if_the_run_made_them_in_order) {
  const Turns turns{turn_until(kMainThread, 4), turn_until(ThreadId{1}, 2)};
  const std::vector<std::string> names{"0", "0.1"};
  const run::Decisions as_asked = made({{.thread = 0, .points = 5, .preemption = true}, {.thread = 1, .points = 3}});
  const run::Decisions too_early = made({{.thread = 0, .points = 4, .preemption = true}, {.thread = 1, .points = 3}});
  const run::Decisions cut_short = made({{.thread = 0, .points = 5, .preemption = true}, {.thread = 1, .points = 1}});
  EXPECT_TRUE(was_followed(turns, 2, as_asked, names, 0));
  EXPECT_FALSE(was_followed(turns, 2, too_early, names, 0));
  EXPECT_FALSE(was_followed(turns, 2, cut_short, names, 0));
}

TEST(Turns, without_progress_are_skipped) {
  Turns turns;
  append(turns, turn_until(kMainThread, 4));
  append(turns, turn_until(ThreadId{1}, 2));
  append(turns, turn_until(kMainThread, 4));
  append(turns, turn_until(ThreadId{1}, 3));
  EXPECT_EQ(turns, (Turns{turn_until(kMainThread, 4), turn_until(ThreadId{1}, 3)}));
}

}  // namespace
}  // namespace heddle::experiment
