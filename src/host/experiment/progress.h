#pragma once
#include <cstdint>
#include <functional>

namespace heddle::experiment {

// The current phase of an analysis; src/app/report/progress_text.h makes text of it.
enum class Activity : std::uint8_t {
  ReplayingClip,
  LeavingOutPreemptions,
  LookingForCause,
  LookingForSimplerSchedule,
  LookingForConflicts,
  TryingConflict,     // `done` of `all`
  TryingBreakpoints,  // `done` sets, of `all` breakpoints each
  RecordingRun,
  AnalysingEvents,       // `all`
  ExecutingPredictions,  // `done` of `all`
  RunningAgain,
  RunningAgainInSlices,
  ComparingCore,
  SearchingAllShared,
  SearchingSchedule,  // `done` schedules
};

struct Progress {
  Activity activity = Activity::ReplayingClip;
  std::uint64_t done = 0, all = 0;
};
using ShowProgress = std::function<void(const Progress&)>;

}  // namespace heddle::experiment
