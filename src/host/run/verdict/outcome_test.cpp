#include "run/verdict/outcome.h"

#include <gtest/gtest.h>

#include <csignal>

namespace heddle::run {
namespace {

using format::OutcomeKind;

binary::SourceFrame own(const std::string& file, std::uint32_t line) {
  binary::SourceFrame frame;
  frame.file = file;
  frame.line = line;
  frame.module = "/home/user/program";
  frame.function = frame.linkage_name = "f";
  return frame;
}

binary::SourceFrame system(const std::string& file, const std::string& module) {
  binary::SourceFrame frame = own(file, 1);
  frame.module = module;
  return frame;
}

ThreadState waiting(std::uint32_t id, std::uint32_t holder, std::uint32_t line) {
  ThreadState state;
  state.id = id;
  state.waits_for = "lock";
  state.holder_id = holder;
  state.stack = {own("/a/locks.cpp", line)};
  return state;
}

Outcome outcome_of(OutcomeKind kind) {
  Outcome outcome;
  outcome.kind = kind;
  return outcome;
}

TEST(Signature, is_the_kind_and_the_programs_own_innermost_lines) {
  const std::vector<binary::SourceFrame> stack = {system("", "/lib/x86_64-linux-gnu/libc.so.6"),
                                                  system("x.cpp", "/opt/heddle/lib/heddle/libheddle_rt.so"),
                                                  own("/usr/include/c++/12/bits/stl_vector.h", 7),
                                                  own("/src/a/account.cpp", 42),
                                                  own("/src/a/account.cpp", 60),
                                                  own("/src/a/main.cpp", 9)};
  EXPECT_EQ(make_signature(outcome_of(OutcomeKind::Assert), stack, {}), "assert account.cpp:42 account.cpp:60");
}

TEST(Signature, skips_the_runtime_of_a_sanitizer_in_the_program) {
  std::vector<binary::SourceFrame> stack;
  for (const char* name : {"___interceptor_backtrace", "_ZN6__asan19ScopedInErrorReportD2Ev", "__asan_report_load4",
                           "__ubsan_handle_add_overflow_abort", "_ZdlPvm", "_ZNK11__sanitizer5MutexE"}) {
    stack.push_back(own("", 0));
    stack.back().linkage_name = name;
  }
  stack.push_back(own("/src/a/account.cpp", 42));
  EXPECT_EQ(make_signature(outcome_of(OutcomeKind::UseAfterFree), stack, {}), "use_after_free account.cpp:42");
}

TEST(Signature, of_a_deadlock_does_not_depend_on_the_order_of_the_threads) {
  const Outcome deadlock = outcome_of(OutcomeKind::Deadlock);
  const std::string one = make_signature(deadlock, {}, {waiting(1, 2, 30), waiting(2, 1, 20)});
  const std::string other = make_signature(deadlock, {}, {waiting(1, 2, 20), waiting(2, 1, 30), waiting(3, 1, 99)});
  EXPECT_EQ(one, "deadlock locks.cpp:20 locks.cpp:30");
  EXPECT_EQ(one, other);
}

TEST(Signature, of_an_exit_is_its_code) {
  Outcome outcome = outcome_of(OutcomeKind::Exit);
  outcome.exit_code = 4;
  EXPECT_EQ(make_signature(outcome, {own("a.cpp", 1)}, {}), "exit 4");
}

TEST(Signature, of_a_program_without_lines_names_its_functions) {
  binary::SourceFrame frame = own("", 0);
  frame.linkage_name = "worker";
  EXPECT_EQ(make_signature(outcome_of(OutcomeKind::Abort), {frame}, {}), "abort worker");
}

TEST(Cycle, excludes_threads_that_only_wait_for_it) {
  const std::vector<ThreadState> threads = {waiting(0, 1, 1), waiting(1, 2, 2), waiting(2, 1, 3)};
  const std::vector<const ThreadState*> cycle = find_cycle(threads);
  ASSERT_EQ(cycle.size(), 2u);
  EXPECT_EQ(cycle[0]->id, 1u);
  EXPECT_TRUE(find_cycle({waiting(0, 1, 1), waiting(1, 0xffffffffu, 2)}).empty());
}

TEST(Cycle, may_be_one_thread_that_waits_for_itself) { EXPECT_EQ(find_cycle({waiting(4, 4, 1)}).size(), 1u); }

TEST(Classify, trusts_the_runtime_unless_the_process_ended_otherwise) {
  auto result = std::make_unique<format::SessionResult>();
  result->outcome = OutcomeKind::Ok;
  EXPECT_EQ(classify(0, *result, false, false).kind, OutcomeKind::Ok);
  EXPECT_EQ(classify(SIGSEGV, *result, false, false).kind, OutcomeKind::Signal);
  EXPECT_EQ(classify(3 << 8, *result, false, false).kind, OutcomeKind::Exit);
  result->outcome = OutcomeKind::Deadlock;
  EXPECT_EQ(classify(99 << 8, *result, false, false).kind, OutcomeKind::Deadlock);
  EXPECT_EQ(classify(SIGKILL, *result, true, false).kind, OutcomeKind::Timeout);
}

TEST(Classify, uses_the_wait_status_if_the_runtime_reported_nothing) {
  const auto result = std::make_unique<format::SessionResult>();
  EXPECT_EQ(classify(SIGABRT, *result, false, false).kind, OutcomeKind::Abort);
  EXPECT_EQ(classify(SIGKILL, *result, false, false).signal, SIGKILL);
}

}  // namespace
}  // namespace heddle::run
