#include "report/progress_text.h"

#include <fmt/format.h>

#include "support/counted.h"

namespace heddle::report {

std::string progress_text(const experiment::Progress& progress) {
  using enum experiment::Activity;
  switch (progress.activity) {
    case ReplayingClip:
      return "replaying the clip";
    case LeavingOutPreemptions:
      return "leaving out preemptions";
    case LookingForCause:
      return "looking for the cause";
    case LookingForSimplerSchedule:
      return "looking for a simpler schedule with the same failure";
    case LookingForConflicts:
      return "looking for conflicts";
    case TryingConflict:
      return fmt::format("conflict {} of {}", progress.done, progress.all);
    case TryingBreakpoints:
      return counted(progress.all, "breakpoint") + ", " + counted(progress.done, "set") + " tried";
    case RecordingRun:
      return "recording one run";
    case AnalysingEvents:
      return fmt::format("analysing {} events", progress.all);
    case ExecutingPredictions:
      return fmt::format("executing {} of {}", progress.done, progress.all);
    case RunningAgain:
      return "running the program again";
    case RunningAgainInSlices:
      return "running the program again in slices";
    case ComparingCore:
      return "comparing the core with the run";
    case SearchingAllShared:
      return "searching all that threads share";
    case SearchingSchedule:
      return fmt::format("try {}", progress.done);
  }
  return "";
}

}  // namespace heddle::report
