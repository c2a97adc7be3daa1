#include "explain/trials/pattern.h"

#include <gtest/gtest.h>

#include "explain/trials/trace_oracle_for_tests.h"

namespace heddle::explain {
namespace {

using format::OutcomeKind;
using Sequence = TraceOracle::Sequence;
using Lines = std::vector<std::uint32_t>;

// The lines of a mark's events. In these tests each event has its own line.
Lines lines_of(const std::optional<Mark>& mark) {
  Lines lines;
  if (mark)
    for (const std::size_t event : mark->unit.events) lines.push_back(mark->in->recording.events[event].site);
  return lines;
}

std::optional<Pattern> found(Result<std::optional<Pattern>> result) {
  EXPECT_TRUE(result.ok());
  return result.ok() ? std::move(*result) : std::nullopt;
}

const std::vector<std::string> kLostUpdate = {
    "t1 read 0x1000 size=4 site=1",
    "t2 write 0x1000 size=4 site=2",
    "t1 write 0x1000 size=4 site=3",
};
bool update_is_lost(const Sequence& run) { return run.before(0, 1) && run.before(1, 2); }

TEST(Pattern, marks_the_accesses_around_a_preemption_and_the_access_inside) {
  TraceOracle oracle(kLostUpdate, OutcomeKind::Assert, update_is_lost);
  PatternFinder finder(oracle, oracle.failing());
  ASSERT_EQ(finder.spans().size(), 3u);
  const std::optional<Pattern> pattern = found(finder.at_preemption(0, Want::Memory));
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->stopped, ThreadId{1});
  EXPECT_TRUE(pattern->was_preempted);
  EXPECT_EQ(lines_of(pattern->before), Lines{1});
  EXPECT_EQ(lines_of(pattern->first), Lines{2});
  EXPECT_EQ(lines_of(pattern->last), Lines{2});
  EXPECT_EQ(lines_of(pattern->after), Lines{3});
  EXPECT_TRUE(pattern->skipped.empty());
}

TEST(Pattern, records_the_run_in_which_the_stopped_thread_continues) {
  TraceOracle oracle(kLostUpdate, OutcomeKind::Assert, update_is_lost);
  const std::optional<Pattern> pattern = found(PatternFinder(oracle, oracle.failing()).at_preemption(0, Want::Memory));
  ASSERT_TRUE(pattern);
  EXPECT_FALSE(pattern->passing->recording.report.outcome.failed());
  EXPECT_EQ(pattern->after->in, pattern->passing);
  EXPECT_EQ(pattern->last->in, oracle.failing());
}

TEST(Pattern, does_not_exist_if_every_order_fails) {
  TraceOracle oracle(kLostUpdate, OutcomeKind::Assert, [](const Sequence&) { return true; });
  EXPECT_FALSE(found(PatternFinder(oracle, oracle.failing()).at_preemption(0, Want::Memory)));
}

TEST(Pattern, does_not_exist_if_the_threads_access_different_memory) {
  TraceOracle oracle({"t1 read 0x1000 size=4 site=1", "t2 write 0x2000 size=4 site=2", "t1 write 0x1000 size=4 site=3"},
                     OutcomeKind::Assert, update_is_lost);
  EXPECT_FALSE(found(PatternFinder(oracle, oracle.failing()).at_preemption(0, Want::Anything)));
  EXPECT_EQ(oracle.attempts(), 0u);
}

TEST(Pattern, skips_conflicting_accesses_that_do_not_decide) {
  TraceOracle oracle(
      {
          "t1 read 0x1000 size=4 site=1",
          "t1 write 0x2000 size=4 site=2",
          "t2 read 0x2000 size=4 site=3",
          "t2 write 0x1000 size=4 site=4",
          "t2 write 0x3000 size=4 site=5",
          "t1 write 0x3000 size=4 site=6",
          "t1 write 0x1000 size=4 site=7",
      },
      OutcomeKind::Assert, [](const Sequence& run) { return run.before(0, 3) && run.before(3, 6); });
  const std::optional<Pattern> pattern = found(PatternFinder(oracle, oracle.failing()).at_preemption(0, Want::Memory));
  ASSERT_TRUE(pattern);
  EXPECT_EQ(lines_of(pattern->before), Lines{1});
  EXPECT_EQ(lines_of(pattern->first), Lines{4});
  EXPECT_EQ(lines_of(pattern->last), Lines{4});
  EXPECT_EQ(lines_of(pattern->after), Lines{7});
  ASSERT_EQ(pattern->skipped.size(), 1u);
  EXPECT_EQ(lines_of(Mark{pattern->passing, pattern->skipped.front()}), Lines{6});
}

TEST(Pattern, moves_critical_sections_as_a_whole) {
  TraceOracle oracle = split_critical_sections();
  const std::optional<Pattern> pattern = found(PatternFinder(oracle, oracle.failing()).at_preemption(0, Want::Memory));
  ASSERT_TRUE(pattern);
  EXPECT_EQ(lines_of(pattern->before), (Lines{1, 2, 3}));
  EXPECT_EQ(lines_of(pattern->first), (Lines{4, 5, 6}));
  EXPECT_EQ(lines_of(pattern->last), (Lines{4, 5, 6}));
  EXPECT_EQ(lines_of(pattern->after), (Lines{7, 8, 9}));
}

TEST(Pattern, names_the_first_and_the_last_unit_of_an_intruder_that_uses_two_variables) {
  TraceOracle oracle(
      {
          "t1 write 0x1000 size=4 site=1",
          "t2 read 0x1000 size=4 site=2",
          "t2 read 0x2000 size=4 site=3",
          "t1 write 0x2000 size=4 site=4",
      },
      OutcomeKind::Assert, [](const Sequence& run) { return run.before(0, 1) && run.before(2, 3); });
  const std::optional<Pattern> pattern = found(PatternFinder(oracle, oracle.failing()).at_preemption(0, Want::Memory));
  ASSERT_TRUE(pattern);
  EXPECT_EQ(lines_of(pattern->before), Lines{1});
  EXPECT_EQ(lines_of(pattern->first), Lines{2});
  EXPECT_EQ(lines_of(pattern->last), Lines{3});
  EXPECT_EQ(lines_of(pattern->after), Lines{4});
}

TEST(Pattern, has_no_before_if_the_progress_of_the_thread_does_not_matter) {
  TraceOracle oracle(
      {
          "t1 write 0x2000 size=4 site=1",
          "t2 read 0x2000 size=4 site=2",
          "t2 read 0x1000 size=4 site=3",
          "t1 write 0x1000 size=4 site=4",
      },
      OutcomeKind::Assert, [](const Sequence& run) { return run.before(2, 3); });
  const std::optional<Pattern> pattern = found(PatternFinder(oracle, oracle.failing()).at_preemption(0, Want::Memory));
  ASSERT_TRUE(pattern);
  EXPECT_FALSE(pattern->before);
  EXPECT_FALSE(pattern->first);
  EXPECT_EQ(lines_of(pattern->last), Lines{3});
  EXPECT_EQ(lines_of(pattern->after), Lines{4});
}

TEST(Pattern, considers_condition_variables_only_when_asked) {
  TraceOracle oracle(
      {
          "t1 read 0x1000 size=4 site=1",
          "t2 signal 0x20 site=2 point",
          "t1 wait 0x20 site=3 point",
      },
      OutcomeKind::LostWakeup, [](const Sequence& run) { return !run.waiting.empty(); });
  PatternFinder finder(oracle, oracle.failing());
  EXPECT_FALSE(found(finder.at_preemption(0, Want::Memory)));
  const std::optional<Pattern> pattern = found(finder.at_preemption(0, Want::Waiting));
  ASSERT_TRUE(pattern);
  EXPECT_EQ(lines_of(pattern->last), Lines{2});
  EXPECT_EQ(lines_of(pattern->after), Lines{3});
}

TEST(Pattern, treats_a_thread_that_waits_for_a_lock_as_stopped) {
  TraceOracle oracle(
      {
          "t2 lock 0x10 site=1 point",
          "t1 read 0x1000 size=4 site=2",
          "t2 write 0x1000 size=4 site=3",
          "t2 unlock 0x10 site=4 point",
          "t2 write 0x1000 size=4 site=5",
          "t1 lock 0x10 site=6 point",
          "t1 write 0x1000 size=4 site=7",
          "t1 unlock 0x10 site=8 point",
      },
      OutcomeKind::Assert, [](const Sequence& run) { return run.before(1, 4) && run.before(4, 6); });
  PatternFinder finder(oracle, oracle.failing());
  ASSERT_EQ(finder.spans().size(), 4u);
  EXPECT_FALSE(finder.spans()[1].preempted);
  const std::optional<Pattern> pattern = found(finder.at_block(1, Want::Memory));
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->stopped, ThreadId{1});
  EXPECT_EQ(lines_of(pattern->before), Lines{2});
  EXPECT_EQ(lines_of(pattern->last), Lines{5});
  EXPECT_EQ(lines_of(pattern->after), (Lines{6, 7, 8}));
  EXPECT_FALSE(found(finder.at_block(0, Want::Memory)));  // its thread was preempted
}

TEST(Pattern, finds_a_thread_that_should_have_run_first) {
  TraceOracle oracle(
      {
          "t0 fork t1 site=1 point",
          "t0 fork t2 site=2 point",
          "t1 read 0x1000 size=4 site=3",
          "t2 write 0x1000 size=4 site=4",
          "t0 join t1 site=5 point",
          "t0 join t2 site=6 point",
      },
      OutcomeKind::Assert, [](const Sequence& run) { return run.before(2, 3); });
  PatternFinder finder(oracle, oracle.failing());
  EXPECT_EQ(preemptions_in(finder.spans()), 0u);
  const std::optional<Pattern> pattern = found(finder.at_start(1, ThreadId{2}, Want::Memory));
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->stopped, ThreadId{2});
  EXPECT_FALSE(pattern->was_preempted);
  EXPECT_FALSE(pattern->before);
  EXPECT_EQ(lines_of(pattern->last), Lines{3});
  EXPECT_EQ(lines_of(pattern->after), Lines{4});
}

TEST(Pattern, begins_with_a_read_before_the_creation_of_an_intruder) {
  TraceOracle oracle(
      {
          "t0 read 0x1000 size=4 site=1",
          "t0 fork t1 site=2 point",
          "t1 write 0x1000 size=4 site=3",
          "t0 write 0x1000 size=4 site=4",
      },
      OutcomeKind::Assert, [](const Sequence& run) { return run.before(2, 3); });
  const std::optional<Pattern> pattern = found(PatternFinder(oracle, oracle.failing()).at_preemption(0, Want::Memory));
  ASSERT_TRUE(pattern);
  EXPECT_EQ(lines_of(pattern->before), Lines{1});
  EXPECT_EQ(lines_of(pattern->first), Lines{3});
}

}  // namespace
}  // namespace heddle::explain
