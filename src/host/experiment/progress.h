#pragma once
#include <cstdint>
#include <functional>

namespace heddle::experiment {

// What an analysis is doing. Data: the report puts it into words.
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
