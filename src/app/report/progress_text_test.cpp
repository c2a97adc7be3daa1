#include "report/progress_text.h"

#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using enum experiment::Activity;

TEST(ProgressText, names_the_activity_of_an_analysis) {
  EXPECT_EQ(progress_text({ReplayingClip}), "replaying the clip");
  EXPECT_EQ(progress_text({LeavingOutPreemptions}), "removing preemptions");
  EXPECT_EQ(progress_text({LookingForCause}), "searching the cause");
  EXPECT_EQ(progress_text({LookingForSimplerSchedule}), "searching a simpler schedule with the same failure");
  EXPECT_EQ(progress_text({LookingForConflicts}), "searching conflicts");
  EXPECT_EQ(progress_text({RecordingRun}), "recording one run");
  EXPECT_EQ(progress_text({RunningAgain}), "repeating the run");
  EXPECT_EQ(progress_text({RunningAgainInSlices}), "repeating the run in slices");
  EXPECT_EQ(progress_text({ComparingCore}), "comparing the core with the run");
  EXPECT_EQ(progress_text({SearchingAllShared}), "searching all shared variables");
}

TEST(ProgressText, shows_the_counts_of_an_activity) {
  EXPECT_EQ(progress_text({TryingConflict, 2, 7}), "conflict 2 of 7");
  EXPECT_EQ(progress_text({TryingBreakpoints, 12, 1}), "1 breakpoint, 12 sets tried");
  EXPECT_EQ(progress_text({AnalysingEvents, 0, 5000}), "analysing 5000 events");
  EXPECT_EQ(progress_text({ExecutingPredictions, 3, 9}), "executing prediction 3 of 9");
  EXPECT_EQ(progress_text({SearchingSchedule, 41}), "trying schedule 41");
}

}  // namespace
}  // namespace heddle::report
