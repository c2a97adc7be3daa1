#include "run/runner.h"

#include <gtest/gtest.h>

#include "run/process/fake_program.h"
#include "support/files.h"
#include "support/scratch_folder.h"
#include "trace/file/trace_reader.h"

namespace heddle::run {
namespace {

using format::OutcomeKind;

RunReport run_fake(std::vector<std::string> arguments) {
  Runner runner;
  Result<RunReport> report = runner.run_once(fake_run(std::move(arguments)));
  EXPECT_TRUE(report.ok()) << report.error().message;
  return std::move(*report);
}

TEST(Runner, decodes_the_schedule_from_the_ring) {
  const RunReport report = run_fake({"ok"});
  EXPECT_EQ(report.outcome.kind, OutcomeKind::Ok);
  EXPECT_EQ(report.threads, 4u);
  EXPECT_EQ(report.switches, 4u);
  EXPECT_EQ(report.preemptions, 2u);
  const Decisions& decisions = report.decisions;
  ASSERT_EQ(decisions.runs.size(), 5u);
  EXPECT_EQ(decisions.descent_name(decisions.runs[0].thread), "0");
  EXPECT_EQ(decisions.descent_name(decisions.runs[1].thread), "0.1");
  EXPECT_EQ(decisions.descent_name(decisions.runs[2].thread), "0.2");
  EXPECT_EQ(decisions.descent_name(decisions.runs[3].thread), "0.2.1");
  EXPECT_EQ(decisions.runs[4].points, 5u);
  EXPECT_EQ(decisions.runs[4].check, static_cast<std::uint32_t>(report.event_hash));
  EXPECT_TRUE(decisions.runs[1].preemption);
  EXPECT_FALSE(decisions.runs[2].preemption);
  std::uint64_t points = 0;
  for (const Decisions::Run& run : decisions.runs) points += run.points;
  EXPECT_EQ(points, report.events);
  EXPECT_EQ(decisions.choices, std::vector<std::uint32_t>{1});
}

TEST(Runner, reports_message_and_lines_of_an_assertion) {
  const RunReport report = run_fake({"assert"});
  EXPECT_EQ(report.outcome.kind, OutcomeKind::Assert);
  EXPECT_EQ(report.outcome.message, "balance == 300");
  EXPECT_EQ(report.thread, "0.2");
  ASSERT_FALSE(report.stack.empty());
  EXPECT_NE(report.stack[0].file.find("fake_program.cpp"), std::string::npos);
  EXPECT_TRUE(report.outcome.signature.starts_with("assert fake_program.cpp:")) << report.outcome.signature;
}

TEST(Runner, reports_the_holders_and_the_cycle_of_a_deadlock) {
  const RunReport report = run_fake({"deadlock"});
  EXPECT_EQ(report.outcome.kind, OutcomeKind::Deadlock);
  ASSERT_EQ(report.threads_at_end.size(), 3u);
  EXPECT_EQ(report.threads_at_end[1].thread, "0.1");
  EXPECT_EQ(report.threads_at_end[1].holder, "0.2");
  EXPECT_EQ(report.threads_at_end[1].waits_for, "lock");
  const std::vector<const ThreadState*> cycle = find_cycle(report.threads_at_end);
  ASSERT_EQ(cycle.size(), 2u);
  EXPECT_EQ(cycle[0]->thread, "0.1");
}

TEST(Runner, takes_signals_and_exit_codes_from_the_wait_status) {
  EXPECT_EQ(run_fake({"segv"}).outcome.signature, "signal SIGSEGV");
  const RunReport exited = run_fake({"exit", "3"});
  EXPECT_EQ(exited.outcome.signature, "exit 3");
  EXPECT_EQ(exited.outcome.exit_code, 3);
}

TEST(Runner, refuses_a_program_that_does_not_attach) {
  Runner runner;
  const Result<RunReport> report = runner.run_once(fake_run({"never-attach"}));
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().exit_code, ExitCode::Uncontrolled);
}

TEST(Runner, refuses_a_program_without_the_runtime_before_it_runs) {
  const Result<ScratchFolder> folder = ScratchFolder::make();
  RunOptions options = fake_run({folder->file("made")});
  options.program = "/usr/bin/touch";
  Runner runner;
  const Result<RunReport> report = runner.run_once(options);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().exit_code, ExitCode::Uncontrolled);
  EXPECT_FALSE(std::filesystem::exists(folder->file("made")));
}

TEST(Runner, ends_a_run_that_takes_too_long) {
  RunOptions options = fake_run({"spin"});
  options.timeout = std::chrono::milliseconds(100);
  options.stall = std::chrono::milliseconds(0);
  Runner runner;
  const Result<RunReport> report = runner.run_once(options);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->outcome.kind, OutcomeKind::Timeout);
  EXPECT_LT(report->seconds, 20);
  EXPECT_EQ(report->decisions.runs.size(), 5u);  // the schedule before the time-out is kept
}

TEST(Runner, distinguishes_a_loop_from_a_wait_in_the_kernel) {
  // The watchdog's signal kills the fake program; the real runtime records its stack first.
  RunOptions options = fake_run({"spin"});
  options.stall = std::chrono::milliseconds(300);
  Runner runner;
  EXPECT_EQ(runner.run_once(options)->outcome.kind, OutcomeKind::Livelock);
  options.arguments = {"sleep"};
  EXPECT_EQ(runner.run_once(options)->outcome.kind, OutcomeKind::Uncontrolled);
}

TEST(Runner, records_more_than_the_ring_holds) {
  const Result<ScratchFolder> folder = ScratchFolder::make();
  RunOptions options = fake_run({"events", "1000000"});
  options.record_path = folder->file("t.htrace");
  Runner runner;
  const Result<RunReport> report = runner.run_once(options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->problems.empty());
  Result<trace::TraceReader> reader = trace::TraceReader::open(options.record_path);
  ASSERT_TRUE(reader.ok());
  std::uint64_t writes = 0;
  std::uint64_t sum = 0;
  for (auto events = reader->next(); !events.empty(); events = reader->next()) {
    for (const trace::Event& event : events) {
      if (event.kind != format::EventKind::Write) continue;
      ++writes;
      sum += event.value;
    }
  }
  EXPECT_EQ(writes, 1'000'000u);
  EXPECT_EQ(sum, 499'999'500'000u);
}

TEST(Runner, fails_a_run_by_the_exit_code_of_the_fails_if_command) {
  RunOptions options = fake_run({"print", "corrupted"});
  Runner runner;
  options.fails_if = "grep -q corrupted";
  EXPECT_EQ(runner.run_once(options)->outcome.kind, OutcomeKind::Predicate);
  options.fails_if = "grep -q fine";
  EXPECT_EQ(runner.run_once(options)->outcome.kind, OutcomeKind::Ok);
  options.arguments = {"exit", "7"};
  options.fails_if = "test $HEDDLE_EXIT_STATUS = 7";
  EXPECT_EQ(runner.run_once(options)->outcome.kind, OutcomeKind::Predicate);
}

TEST(Runner, gives_the_program_its_input_environment_and_directory) {
  const Result<ScratchFolder> folder = ScratchFolder::make();
  ASSERT_TRUE(write_file(folder->file("input"), "from the file\n").ok());
  RunOptions options = fake_run({"cat"});
  options.stdin_file = folder->file("input");
  options.fails_if = "grep -q 'from the file'";
  Runner runner;
  EXPECT_EQ(runner.run_once(options)->outcome.kind, OutcomeKind::Predicate);
  options.working_directory = folder->file("missing");
  EXPECT_FALSE(runner.run_once(options).ok());
}

}  // namespace
}  // namespace heddle::run
