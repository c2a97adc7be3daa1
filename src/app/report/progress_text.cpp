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
      return "removing preemptions";
    case LookingForCause:
      return "searching the cause";
    case LookingForSimplerSchedule:
      return "searching a simpler schedule with the same failure";
    case LookingForConflicts:
      return "searching conflicts";
    case TryingConflict:
      return fmt::format("conflict {} of {}", progress.done, progress.all);
    case TryingBreakpoints:
      return counted(progress.all, "breakpoint") + ", " + counted(progress.done, "set") + " tried";
    case RecordingRun:
      return "recording one run";
    case AnalysingEvents:
      return fmt::format("analysing {}", counted(progress.all, "event"));
    case ExecutingPredictions:
      return fmt::format("executing prediction {} of {}", progress.done, progress.all);
    case RunningAgain:
      return "repeating the run";
    case RunningAgainInSlices:
      return "repeating the run in slices";
    case ComparingCore:
      return "comparing the core with the run";
    case SearchingAllShared:
      return "searching all shared variables";
    case SearchingSchedule:
      return fmt::format("trying schedule {}", progress.done);
  }
  return "";
}

}  // namespace heddle::report
