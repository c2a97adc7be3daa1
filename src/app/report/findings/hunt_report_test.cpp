#include "report/findings/hunt_report.h"

#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using hunt::BugProblem;
using hunt::HuntPhase;
using Line = std::pair<std::string, std::string>;

TEST(HuntReport, describes_the_progress_of_each_phase) {
  explore::Progress exploring;
  exploring.schedules = 1;
  exploring.covered_pairs = 20;
  EXPECT_EQ(hunt_progress_text({HuntPhase::Explore, 0, "", exploring}),
            (Line{"explore", "1 schedule, 20 covered pairs"}));
  exploring.failures = 2;
  EXPECT_EQ(hunt_progress_text({HuntPhase::Explore, 3, "", exploring}),
            (Line{"explore", "1 schedule, 20 covered pairs, 2 failures; 3 bugs so far"}));
  shrink::Progress shrinking;
  shrinking.size.threads = 3;
  shrinking.size.preemptions = 1;
  EXPECT_EQ(hunt_progress_text({HuntPhase::Shrink, 1, "assert a.cpp:1", shrinking}),
            (Line{"shrink", "assert a.cpp:1: 3 threads, 1 preemption left; 1 bug so far"}));
  EXPECT_EQ(hunt_progress_text(
                {HuntPhase::Explain, 0, "assert a.cpp:1", experiment::Progress{experiment::Activity::LookingForCause}}),
            (Line{"explain", "assert a.cpp:1: searching the cause"}));
}

TEST(HuntReport, has_a_text_for_each_kind_of_problem) {
  hunt::HuntReport report;
  using enum BugProblem::Kind;
  report.bugs.emplace_back().problems = {{NoClip, ""},
                                         {UnreadableClip, ""},
                                         {NotShrunk, "no time"},
                                         {NoInterference, ""},
                                         {ClipPasses, ""},
                                         {NotExplained, "no time"},
                                         {NoBreakpoints, "no time"},
                                         {NoSetOfBreakpoints, ""},
                                         {NoWholeRun, "disk full"},
                                         {NotWritten, "disk full"}};
  EXPECT_EQ(hunt_json(report, "")["bugs"][0]["problems"],
            (Json{"there is no clip, because it did not fail again when it was recorded; heddle check -- PROGRAM names "
                  "the cause",
                  "the clip cannot be read", "not shrunk: no time",
                  "it fails in every order of its threads: not a concurrency bug", "the clip does not fail again",
                  "not explained: no time", "no breakpoints: no time",
                  "no set of breakpoints makes it fail in every native run", "the whole run was not written: disk full",
                  "disk full"}));
}

}  // namespace
}  // namespace heddle::report
