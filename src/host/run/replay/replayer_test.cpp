#include "run/replay/replayer.h"

#include <gtest/gtest.h>

#include "base/hash.h"
#include "clip/clip_reader.h"
#include "clip/clip_writer.h"
#include "run/process/fake_program.h"
#include "run/replay/clip_builder.h"
#include "support/scratch_folder.h"

namespace heddle::run {
namespace {

struct Recorded {
  RunOptions options;
  RunReport report;
  clip::Clip clip;
};

Recorded record(std::vector<std::string> arguments, Runner& runner) {
  Recorded recorded;
  recorded.options = fake_run(std::move(arguments));
  recorded.options.seed = 42;
  recorded.report = std::move(*runner.run_once(recorded.options));
  recorded.clip = build_clip(recorded.options, recorded.report);
  return recorded;
}

ReplayOptions quietly() {
  ReplayOptions options;
  options.output = Output::Discard;
  return options;
}

TEST(Clip, names_threads_by_descent) {
  Runner runner;
  const clip::Clip clip = record({"assert"}, runner).clip;
  ASSERT_EQ(clip.runs.size(), 5u);
  EXPECT_EQ(clip.runs[3].thread, "0.2.1");
  EXPECT_FALSE(clip.runs[1].forced);
  EXPECT_TRUE(clip.runs[2].forced);
  EXPECT_EQ(clip.choices, std::vector<std::string>{"0.1"});
  EXPECT_EQ(clip.end->outcome, "assert");
  EXPECT_FALSE(clip.head.build_id.empty());
}

TEST(Clip, names_the_source_line_of_each_switch) {
  Runner runner;
  Recorded recorded = record({"assert"}, runner);
  EXPECT_TRUE(annotate_clip(recorded.clip, recorded.options, runner).empty());
  ASSERT_EQ(recorded.clip.switches.size(), 4u);
  const clip::ClipSwitch& second = recorded.clip.switches[1];
  EXPECT_TRUE(second.preemption);
  EXPECT_EQ(second.thread, "0.1");
  EXPECT_EQ(second.to, "0.2");
  EXPECT_EQ(second.kind, "lock");
  EXPECT_EQ(second.occurrence, 1u);
  EXPECT_NE(second.file.find("fake_program.cpp"), std::string::npos);
  EXPECT_GT(second.line, second.function_line);
}

TEST(Clip, has_no_switches_if_the_run_cannot_be_repeated) {
  Runner runner;
  Recorded recorded = record({"random-hash"}, runner);
  EXPECT_EQ(annotate_clip(recorded.clip, recorded.options, runner).size(), 1u);
  EXPECT_TRUE(recorded.clip.switches.empty());
}

TEST(Replay, reproduces_what_was_recorded) {
  const Result<ScratchFolder> folder = ScratchFolder::make();
  Runner runner;
  ASSERT_TRUE(clip::write_clip(record({"assert"}, runner).clip, folder->file("c.clip")).ok());
  const Result<clip::ClipReading> reading = clip::read_clip(folder->file("c.clip"));
  ASSERT_TRUE(reading.ok());
  ReplayOptions options = quietly();
  options.times = 3;
  const Result<ReplayReport> report = replay(reading->clip, options, runner);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->verdict, Verdict::Reproduced);
  EXPECT_TRUE(report->exact);
  EXPECT_EQ(report->reproduced_runs, 3);
  EXPECT_EQ(report->preemptions_met, report->preemptions_total);
}

TEST(Replay, gives_no_verdict_if_the_event_hash_differs) {
  Runner runner;
  const Result<ReplayReport> report = replay(record({"random-hash"}, runner).clip, quietly(), runner);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->verdict, Verdict::NoVerdict);
}

TEST(Replay, names_the_step_where_the_program_diverged) {
  Runner runner;
  clip::Clip clip = record({"assert"}, runner).clip;
  clip.runs.pop_back();
  const Result<ReplayReport> report = replay(clip, quietly(), runner);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->verdict, Verdict::NoVerdict);
  ASSERT_TRUE(report->last.divergence.has_value());
  EXPECT_EQ(report->last.divergence->step, 3u);
}

TEST(Replay, refuses_a_clip_that_was_cut_short) {
  Runner runner;
  clip::Clip clip = record({"assert"}, runner).clip;
  clip.end.reset();
  EXPECT_FALSE(replay(clip, quietly(), runner).ok());
}

TEST(Replay, refuses_another_build_when_the_clip_has_no_switches) {
  Runner runner;
  clip::Clip clip = record({"assert"}, runner).clip;
  clip.head.build_id = "00";
  const Result<ReplayReport> report = replay(clip, quietly(), runner);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().exit_code, ExitCode::Uncontrolled);
}

TEST(Descent, is_hashed_as_the_runtime_does) {
  EXPECT_EQ(*parse_descent("0"), kMainDescent);
  EXPECT_EQ(*parse_descent("0.2.1"), child_descent(child_descent(kMainDescent, 2), 1));
  for (const char* name : {"", "1", "0.", "0.0", "0.1.", "0.x", "00", "0.-1"})
    EXPECT_FALSE(parse_descent(name).ok()) << name;
}

}  // namespace
}  // namespace heddle::run
