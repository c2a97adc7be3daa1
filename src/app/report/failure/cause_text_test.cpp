#include "report/failure/cause_text.h"

#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using explain::CauseAccess;
using explain::CauseKind;
using explain::CauseWindow;
using explain::Explanation;
using explain::WaitingThread;

CauseAccess access(const char* thread, std::uint32_t line, const char* word, const char* variable,
                   std::vector<std::string> locks = {}) {
  return {thread, {"/src/bank.cpp", line, "pay"}, word, variable, std::move(locks)};
}

Explanation failing_in(CauseKind kind, CauseWindow window) {
  Explanation explanation;
  explanation.cause.kind = kind;
  explanation.cause.window = std::move(window);
  return explanation;
}

TEST(CauseText, of_a_data_race_says_that_no_lock_is_held) {
  const CauseWindow window{access("0.1", 3, "read", "balance"),
                           {access("0.2", 3, "write", "balance")},
                           access("0.1", 3, "write", "balance")};
  EXPECT_EQ(cause_text(failing_in(CauseKind::DataRace, window)),
            "thread 0.1 is preempted between its read of balance at bank.cpp:3 (no lock held) and its write of balance "
            "at bank.cpp:3 (no lock held); meanwhile thread 0.2 executes its write of balance at bank.cpp:3 (no lock "
            "held). If thread 0.1 reaches bank.cpp:3 first, the program passes.");
}

TEST(CauseText, names_the_locks_of_an_atomicity_violation) {
  const CauseWindow window{access("0.1", 5, "read", "count", {"guard"}),
                           {access("0.2", 9, "write", "count", {"guard", ""})},
                           access("0.1", 7, "write", "count", {"guard"})};
  EXPECT_EQ(cause_text(failing_in(CauseKind::Atomicity, window)),
            "thread 0.1 is preempted between its read of count at bank.cpp:5 (guard held) and its write of count at "
            "bank.cpp:7 (guard held); meanwhile thread 0.2 executes its write of count at bank.cpp:9 (guard, a lock "
            "held). If thread 0.1 reaches bank.cpp:7 first, the program passes.");
}

TEST(CauseText, names_both_accesses_of_an_intruder_that_uses_two_variables) {
  const CauseWindow window{access("0.1", 5, "write", "begin"),
                           {access("0.2", 8, "read", "begin"), access("0.2", 9, "read", "end")},
                           access("0.1", 6, "write", "end")};
  EXPECT_EQ(cause_text(failing_in(CauseKind::MultiVariable, window)),
            "thread 0.1 is preempted between its write of begin at bank.cpp:5 (no lock held) and its write of end at "
            "bank.cpp:6 (no lock held); meanwhile thread 0.2 executes its read of begin at bank.cpp:8 and its read of "
            "end at bank.cpp:9 (no lock held). If thread 0.1 reaches bank.cpp:6 first, the program passes.");
}

TEST(CauseText, of_an_order_says_that_nothing_makes_the_thread_wait) {
  const CauseWindow window{std::nullopt, {access("0.1", 4, "read", "config")}, access("0", 2, "write", "config")};
  EXPECT_EQ(cause_text(failing_in(CauseKind::Order, window)),
            "thread 0.1 executes its read of config at bank.cpp:4 (no lock held) before thread 0 executes its write of "
            "config at bank.cpp:2 (no lock held), and nothing makes it wait. In the other order the program passes.");
}

TEST(CauseText, names_the_free_of_a_use_after_free) {
  const CauseWindow window{access("0.1", 5, "read", "head"),
                           {access("0.2", 9, "free", "*head")},
                           access("0.1", 6, "read", "block 1 (16 bytes)")};
  EXPECT_EQ(cause_text(failing_in(CauseKind::UseAfterFree, window)),
            "thread 0.1 is preempted between its read of head at bank.cpp:5 (no lock held) and its read of block 1 (16 "
            "bytes) at bank.cpp:6 (no lock held); meanwhile thread 0.2 executes its free of *head at bank.cpp:9 (no "
            "lock held). If thread 0.1 reaches bank.cpp:6 first, the program passes.");
}

TEST(CauseText, omits_the_unknown_parts_of_an_access) {
  const CauseAccess bare{"0.1", {}, "read", "", {}};
  EXPECT_EQ(cause_text(failing_in(CauseKind::Order, {std::nullopt, {bare}, bare})),
            "thread 0.1 executes its read (no lock held) before thread 0.1 executes its read (no lock held), and "
            "nothing makes it wait. In the other order the program passes.");
}

TEST(CauseText, follows_the_cycle_of_a_deadlock) {
  Explanation explanation;
  explanation.cause.kind = CauseKind::Deadlock;
  WaitingThread first, second;
  first.access = access("0.1", 6, "lock", "b", {"a"});
  first.holder = "0.2";
  first.holds = WaitingThread::Holding{"a", {"/src/bank.cpp", 5, "pay"}};
  second.access = access("0.2", 9, "lock", "", {""});
  second.holds = WaitingThread::Holding{"", {"/src/bank.cpp", 8, "pay"}};
  explanation.cause.waiting = {first, second};
  EXPECT_EQ(cause_text(explanation),
            "thread 0.1 has held a since bank.cpp:5 and waits at bank.cpp:6 for b, which thread 0.2 holds; thread 0.2 "
            "has held a lock since bank.cpp:8 and waits at bank.cpp:9.");
}

TEST(CauseText, of_a_deadlock_without_known_threads_is_not_empty) {
  Explanation explanation;
  explanation.cause.kind = CauseKind::Deadlock;
  EXPECT_EQ(cause_text(explanation), "the threads of the deadlock are unknown");
}

TEST(CauseText, names_the_changed_condition_of_a_lost_wakeup) {
  Explanation explanation =
      failing_in(CauseKind::LostWakeup,
                 {std::nullopt, {access("0.2", 9, "signal", "ready_cv")}, access("0.1", 5, "wait", "ready_cv")});
  WaitingThread waiting;
  waiting.access = access("0.1", 5, "wait", "ready_cv");
  waiting.change = access("0.2", 8, "write", "ready");
  explanation.cause.waiting = {waiting};
  EXPECT_EQ(cause_text(explanation),
            "thread 0.2 executes its signal of ready_cv at bank.cpp:9 (no lock held) before thread 0.1 executes its "
            "wait of ready_cv at bank.cpp:5 (no lock held), and nothing makes it wait. In the other order the program "
            "passes. Thread 0.1 waits forever for ready_cv at bank.cpp:5. Thread 0.2 changes the condition at "
            "bank.cpp:8.");
}

TEST(CauseText, names_the_waiting_threads_if_no_change_helps) {
  Explanation explanation;
  explanation.cause.kind = CauseKind::LostWakeup;
  WaitingThread waiting;
  waiting.access = access("0.1", 5, "wait", "");
  explanation.cause.waiting = {waiting};
  EXPECT_EQ(cause_text(explanation),
            "none of the tried changes of the schedule makes the failure disappear; give the search more --time. "
            "Thread 0.1 waits forever at bank.cpp:5.");
}

TEST(CauseText, gives_the_reason_of_an_unknown_cause) {
  Explanation explanation;
  EXPECT_EQ(cause_text(explanation),
            "none of the tried changes of the schedule makes the failure disappear; give the search more --time");
  explanation.repeatable = false;
  EXPECT_EQ(cause_text(explanation),
            "the cause was not searched, because the schedule could not be repeated for experiments; heddle check -- "
            "PROGRAM names the first difference");
}

TEST(CauseText, lists_the_limits_of_an_explanation) {
  Explanation explanation;
  EXPECT_EQ(explanation_notes(explanation), std::vector<std::string>{});
  explanation.repeatable = false;
  explanation.simpler_schedule = explanation.lacks_types = true;
  EXPECT_EQ(
      explanation_notes(explanation),
      (std::vector<std::string>{"the schedule could not be repeated for experiments, so the cause was not searched",
                                "the explanation uses a simpler schedule with the same failure",
                                "the debug information has no types; build with -g to see the names of variables"}));
}

}  // namespace
}  // namespace heddle::report
