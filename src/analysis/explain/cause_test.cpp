#include "explain/cause.h"

#include <gtest/gtest.h>

#include "explain/cause_search.h"
#include "explain/names/source_locations.h"
#include "explain/trials/trace_oracle_for_tests.h"

namespace heddle::explain {
namespace {

using format::OutcomeKind;
using Sequence = TraceOracle::Sequence;
using Texts = std::vector<std::string>;
using Order = std::vector<std::size_t>;

// "0.1 read block 1 (8 bytes) a.cpp:1 [a lock]"
std::string text_of(const CauseAccess& access) {
  std::string text = access.thread + " " + access.access + (access.variable.empty() ? "" : " " + access.variable) +
                     " " + short_place(access.place);
  for (std::size_t i = 0; i < access.locks.size(); ++i) text += " [a lock]";
  return text;
}

Texts accesses_of(const Cause& cause) {
  Texts texts;
  for (const CauseAccess& access : cause.accesses) texts.push_back(text_of(access));
  return texts;
}

std::optional<CauseDraft> cause_of(TraceOracle& oracle) {
  EXPECT_TRUE(oracle.failing()->recording.report.outcome.failed());
  Result<std::optional<CauseDraft>> found = search_cause(oracle, oracle.failing());
  EXPECT_TRUE(found.ok());
  return found.ok() ? std::move(*found) : std::nullopt;
}

TEST(Cause, of_a_lost_update_is_a_data_race) {
  TraceOracle oracle(
      {
          "t0 alloc 0x1000 value=8",
          "t1 read 0x1000 size=4 site=1",
          "t2 write 0x1000 size=4 site=2",
          "t1 write 0x1000 size=4 site=3",
      },
      OutcomeKind::Assert, [](const Sequence& run) { return run.before(1, 2) && run.before(2, 3); });
  const std::optional<CauseDraft> draft = cause_of(oracle);
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->cause.kind, CauseKind::DataRace);
  EXPECT_TRUE(draft->stale);
  EXPECT_EQ(accesses_of(draft->cause),
            (Texts{"0.1 read block 1 (8 bytes) a.cpp:1", "0.2 write block 1 (8 bytes) a.cpp:2",
                   "0.1 write block 1 (8 bytes) a.cpp:3"}));
  EXPECT_EQ(draft->cause.failing_order, (Order{0, 1, 2}));
  EXPECT_EQ(draft->cause.passing_order, (Order{0, 2, 1}));
  ASSERT_TRUE(draft->cause.window && draft->cause.window->before);
  EXPECT_EQ(text_of(*draft->cause.window->before), "0.1 read block 1 (8 bytes) a.cpp:1");
  EXPECT_TRUE(draft->cause.waiting.empty());
}

TEST(Cause, of_a_write_after_a_second_read_is_an_atomicity_violation) {
  TraceOracle oracle(
      {
          "t1 read 0x1000 size=4 site=1",
          "t2 write 0x1000 size=4 site=2",
          "t1 read 0x1000 size=4 site=3",
          "t1 write 0x1000 size=4 site=4",
      },
      OutcomeKind::Assert, [](const Sequence& run) { return run.before(0, 1) && run.before(1, 3); });
  const std::optional<CauseDraft> draft = cause_of(oracle);
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->cause.kind, CauseKind::Atomicity);
  EXPECT_EQ(accesses_of(draft->cause), (Texts{"0.1 read a.cpp:1", "0.2 write a.cpp:2", "0.1 write a.cpp:4"}));
}

TEST(Cause, of_two_critical_sections_that_are_split_is_an_atomicity_violation) {
  TraceOracle oracle = split_critical_sections();
  const std::optional<CauseDraft> draft = cause_of(oracle);
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->cause.kind, CauseKind::Atomicity);
  EXPECT_EQ(accesses_of(draft->cause),
            (Texts{"0.1 read a.cpp:2 [a lock]", "0.2 write a.cpp:5 [a lock]", "0.1 write a.cpp:8 [a lock]"}));
}

TEST(Cause, of_two_variables_under_one_lock_is_a_multi_variable_violation) {
  TraceOracle oracle(
      {
          "t1 lock 0x10 site=1 point",
          "t1 write 0x1000 size=4 site=2",
          "t1 unlock 0x10 site=3 point",
          "t2 lock 0x10 site=4 point",
          "t2 read 0x1000 size=4 site=5",
          "t2 read 0x2000 size=4 site=6",
          "t2 unlock 0x10 site=7 point",
          "t1 lock 0x10 site=8 point",
          "t1 write 0x2000 size=4 site=9",
          "t1 unlock 0x10 site=10 point",
      },
      OutcomeKind::Assert, [](const Sequence& run) { return run.before(1, 4) && run.before(5, 8); });
  const std::optional<CauseDraft> draft = cause_of(oracle);
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->cause.kind, CauseKind::MultiVariable);
  EXPECT_FALSE(draft->stale);
  EXPECT_EQ(accesses_of(draft->cause), (Texts{"0.1 write a.cpp:2 [a lock]", "0.2 read a.cpp:5 [a lock]",
                                              "0.2 read a.cpp:6 [a lock]", "0.1 write a.cpp:9 [a lock]"}));
  EXPECT_EQ(draft->cause.failing_order, (Order{0, 1, 2, 3}));
  EXPECT_EQ(draft->cause.passing_order, (Order{0, 3, 1, 2}));
  EXPECT_EQ(draft->locations.size(), 2u);
}

TEST(Cause, of_two_variables_without_a_lock_is_a_data_race) {
  TraceOracle oracle(
      {
          "t1 write 0x1000 size=4 site=1",
          "t2 read 0x1000 size=4 site=2",
          "t2 read 0x2000 size=4 site=3",
          "t1 write 0x2000 size=4 site=4",
      },
      OutcomeKind::Assert, [](const Sequence& run) { return run.before(0, 1) && run.before(2, 3); });
  const std::optional<CauseDraft> draft = cause_of(oracle);
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->cause.kind, CauseKind::DataRace);
}

TEST(Cause, of_a_use_before_the_initialisation_is_an_order_violation) {
  TraceOracle oracle(
      {
          "t0 fork t1 site=1 point",
          "t1 read 0x1000 size=4 site=2",
          "t0 write 0x1000 size=4 site=3",
      },
      OutcomeKind::Assert, [](const Sequence& run) { return run.before(1, 2); });
  const std::optional<CauseDraft> draft = cause_of(oracle);
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->cause.kind, CauseKind::Order);
  EXPECT_EQ(accesses_of(draft->cause), (Texts{"0.1 read a.cpp:2", "0 write a.cpp:3"}));
  EXPECT_EQ(draft->cause.failing_order, (Order{0, 1}));
  EXPECT_EQ(draft->cause.passing_order, (Order{1, 0}));
  EXPECT_FALSE(draft->cause.window->before);
}

TEST(Cause, is_found_if_no_thread_was_preempted) {
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
  const std::optional<CauseDraft> draft = cause_of(oracle);
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->cause.kind, CauseKind::Order);
  EXPECT_EQ(accesses_of(draft->cause), (Texts{"0.1 read a.cpp:3", "0.2 write a.cpp:4"}));
}

TEST(Cause, of_a_free_between_a_check_and_a_use_is_a_use_after_free) {
  TraceOracle oracle(
      {
          "t0 alloc 0x1000 value=16",
          "t1 read 0x3000 size=8 site=1",
          "t2 write 0x3000 size=8 site=2",
          "t2 free 0x1000 site=3",
          "t1 read 0x1008 size=4 site=4",
      },
      OutcomeKind::UseAfterFree, [](const Sequence& run) { return run.before(1, 2) && run.before(3, 4); });
  const std::optional<CauseDraft> draft = cause_of(oracle);
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->cause.kind, CauseKind::UseAfterFree);
  EXPECT_EQ(accesses_of(draft->cause),
            (Texts{"0.1 read a.cpp:1", "0.2 write a.cpp:2", "0.2 free block 1 (16 bytes) a.cpp:3",
                   "0.1 read block 1 (16 bytes)+8 a.cpp:4"}));
}

TEST(Cause, of_a_wake_up_before_the_wait_names_the_waiting_thread_and_the_change) {
  TraceOracle oracle(
      {
          "t1 read 0x1000 size=4 site=1",
          "t2 write 0x1000 size=4 site=2",
          "t2 signal 0x20 site=3 point",
          "t1 wait 0x20 site=4 point",
      },
      OutcomeKind::LostWakeup, [](const Sequence& run) { return run.before(0, 1) && !run.waiting.empty(); });
  const std::optional<CauseDraft> draft = cause_of(oracle);
  ASSERT_TRUE(draft);
  EXPECT_EQ(draft->cause.kind, CauseKind::LostWakeup);
  ASSERT_EQ(draft->cause.waiting.size(), 1u);
  EXPECT_EQ(text_of(draft->cause.waiting[0].access), "0.1 wait a.cpp:4");
  ASSERT_TRUE(draft->cause.waiting[0].change);
  EXPECT_EQ(accesses_of(draft->cause), (Texts{"0.1 wait a.cpp:4", "0.2 write a.cpp:2"}));
  EXPECT_EQ(draft->cause.failing_order, (Order{1, 0}));
  EXPECT_TRUE(draft->cause.passing_order.empty());
  ASSERT_TRUE(draft->cause.window && draft->cause.window->before);
  EXPECT_EQ(text_of(*draft->cause.window->before), "0.1 read a.cpp:1");
  EXPECT_EQ(text_of(draft->cause.window->after), "0.1 wait a.cpp:4");
}

TEST(Cause, prefers_the_preemption_after_which_a_thread_continues_with_a_stale_value) {
  // Both preemptions are necessary, but the last one only lets the third thread see the result.
  TraceOracle oracle(
      {
          "t1 read 0x1000 size=4 site=1",
          "t2 write 0x1000 size=4 site=2",
          "t1 write 0x1000 size=4 site=3",
          "t1 write 0x2000 size=4 site=4",
          "t3 read 0x2000 size=4 site=5",
          "t3 read 0x1000 size=4 site=6",
          "t1 write 0x2000 size=4 site=7",
      },
      OutcomeKind::Assert,
      [](const Sequence& run) { return run.before(0, 1) && run.before(1, 2) && run.before(3, 4) && run.before(4, 6); });
  const std::optional<CauseDraft> draft = cause_of(oracle);
  ASSERT_TRUE(draft);
  EXPECT_EQ(accesses_of(draft->cause), (Texts{"0.1 read a.cpp:1", "0.2 write a.cpp:2", "0.1 write a.cpp:3"}));
}

TEST(Cause, is_unknown_if_no_order_passes) {
  TraceOracle oracle({"t1 read 0x1000 size=4 site=1", "t2 write 0x1000 size=4 site=2", "t1 write 0x1000 size=4 site=3"},
                     OutcomeKind::Assert, [](const Sequence&) { return true; });
  EXPECT_FALSE(cause_of(oracle));
  EXPECT_GT(oracle.attempts(), 0u);
}

TEST(Cause, is_unknown_if_the_threads_share_no_memory) {
  TraceOracle oracle({"t1 read 0x1000 size=4 site=1", "t2 write 0x2000 size=4 site=2", "t1 write 0x1000 size=4 site=3"},
                     OutcomeKind::Assert, [](const Sequence& run) { return run.before(0, 1) && run.before(1, 2); });
  EXPECT_FALSE(cause_of(oracle));
  EXPECT_EQ(oracle.attempts(), 0u);
}

// Two threads that hold one lock each and wait for the other one; the trace does not have the waits.
Observed two_waiting_threads(TraceOracle& oracle) {
  Observed failing = *oracle.failing();
  const auto add = [&](std::uint32_t id, std::uint32_t line, std::uint64_t awaited, std::uint32_t holder) {
    run::ThreadState& state = failing.recording.report.threads_at_end.emplace_back();
    state.id = id;
    state.thread = oracle.threads().names()[id];
    state.waits_for = "lock";
    state.holder_id = holder;
    state.holder = holder < 3 ? oracle.threads().names()[holder] : "";
    state.stack = {{"f", "f", "a.cpp", line, 1, 1, "program", false}};
    failing.recording.awaited[state.thread] = awaited;
  };
  add(1, 3, 0x20, 2);
  add(2, 4, 0x10, 1);
  return failing;
}

TEST(Cause, of_a_deadlock_is_the_cycle) {
  TraceOracle oracle({"t1 lock 0x10 site=1 point", "t2 lock 0x20 site=2 point"}, OutcomeKind::Deadlock,
                     [](const Sequence&) { return true; });
  const CauseDraft draft = describe_deadlock(two_waiting_threads(oracle), oracle);
  EXPECT_EQ(draft.cause.kind, CauseKind::Deadlock);
  EXPECT_EQ(accesses_of(draft.cause), (Texts{"0.1 lock a.cpp:3 [a lock]", "0.2 lock a.cpp:4 [a lock]"}));
  EXPECT_EQ(draft.cause.failing_order, (Order{0, 1}));
  EXPECT_TRUE(draft.cause.passing_order.empty());
  ASSERT_EQ(draft.cause.waiting.size(), 2u);
  EXPECT_EQ(draft.cause.waiting[0].holder, "0.2");
  ASSERT_TRUE(draft.cause.waiting[0].holds);
  EXPECT_EQ(short_place(draft.cause.waiting[0].holds->since), "a.cpp:1");
  EXPECT_EQ(short_place(draft.cause.waiting[1].holds->since), "a.cpp:2");
}

TEST(Cause, of_a_deadlock_without_a_cycle_has_all_waiting_threads) {
  TraceOracle oracle({"t1 lock 0x10 site=1 point", "t2 read 0x1000 size=4 site=2"}, OutcomeKind::Deadlock,
                     [](const Sequence&) { return true; });
  Observed failing = two_waiting_threads(oracle);
  for (run::ThreadState& state : failing.recording.report.threads_at_end) state.holder_id = number(kNoThread);
  const CauseDraft draft = describe_deadlock(failing, oracle);
  EXPECT_EQ(accesses_of(draft.cause), (Texts{"0.1 lock a.cpp:3 [a lock]", "0.2 lock a.cpp:4"}));
  EXPECT_FALSE(draft.cause.waiting[1].holds);
}

}  // namespace
}  // namespace heddle::explain
