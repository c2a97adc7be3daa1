#include "report/findings/hunt_report.h"

#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using hunt::BugProblem;
using hunt::HuntPhase;
using Line = std::pair<std::string, std::string>;

TEST(HuntReport, says_what_a_hunt_is_doing) {
  explore::Progress exploring;
  exploring.schedules = 1;
  exploring.covered_pairs = 20;
  EXPECT_EQ(hunt_progress_text({HuntPhase::Explore, 0, "", exploring}),
            (Line{"explore", "1 schedule, 20 pairs of accesses"}));
  exploring.failures = 2;
  EXPECT_EQ(hunt_progress_text({HuntPhase::Explore, 3, "", exploring}),
            (Line{"explore", "1 schedule, 20 pairs of accesses, 2 failures; 3 bugs so far"}));
  shrink::Progress shrinking;
  shrinking.size.threads = 3;
  shrinking.size.preemptions = 1;
  EXPECT_EQ(hunt_progress_text({HuntPhase::Shrink, 1, "assert a.cpp:1", shrinking}),
            (Line{"shrink", "assert a.cpp:1: 3 threads, 1 preemption left; 1 bug so far"}));
  EXPECT_EQ(hunt_progress_text(
                {HuntPhase::Explain, 0, "assert a.cpp:1", experiment::Progress{experiment::Activity::LookingForCause}}),
            (Line{"explain", "assert a.cpp:1: looking for the cause"}));
}

TEST(HuntReport, says_what_could_not_be_found_out) {
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
            (Json{"it did not fail again when it was to be recorded: there is no clip", "the clip cannot be read",
                  "not made smaller: no time", "it fails without any interference between threads",
                  "the clip does not fail again", "not explained: no time", "no breakpoints: no time",
                  "no set of breakpoints was found that makes it fail in every native run",
                  "the whole run was not written: disk full", "disk full"}));
}

}  // namespace
}  // namespace heddle::report
