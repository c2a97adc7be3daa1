#include "report/progress_text.h"

#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using enum experiment::Activity;

TEST(ProgressText, says_what_an_analysis_is_doing) {
  EXPECT_EQ(progress_text({ReplayingClip}), "replaying the clip");
  EXPECT_EQ(progress_text({LeavingOutPreemptions}), "leaving out preemptions");
  EXPECT_EQ(progress_text({LookingForCause}), "looking for the cause");
  EXPECT_EQ(progress_text({LookingForSimplerSchedule}), "looking for a simpler schedule with the same failure");
  EXPECT_EQ(progress_text({LookingForConflicts}), "looking for conflicts");
  EXPECT_EQ(progress_text({RecordingRun}), "recording one run");
  EXPECT_EQ(progress_text({RunningAgain}), "running the program again");
  EXPECT_EQ(progress_text({RunningAgainInSlices}), "running the program again in slices");
  EXPECT_EQ(progress_text({ComparingCore}), "comparing the core with the run");
  EXPECT_EQ(progress_text({SearchingAllShared}), "searching all that threads share");
}

TEST(ProgressText, says_how_much_is_done) {
  EXPECT_EQ(progress_text({TryingConflict, 2, 7}), "conflict 2 of 7");
  EXPECT_EQ(progress_text({TryingBreakpoints, 12, 1}), "1 breakpoint, 12 sets tried");
  EXPECT_EQ(progress_text({AnalysingEvents, 0, 5000}), "analysing 5000 events");
  EXPECT_EQ(progress_text({ExecutingPredictions, 3, 9}), "executing 3 of 9");
  EXPECT_EQ(progress_text({SearchingSchedule, 41}), "try 41");
}

}  // namespace
}  // namespace heddle::report
