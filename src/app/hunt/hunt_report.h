#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clip/source_units.h"
#include "explain/explanation.h"
#include "run/verdict/outcome.h"
#include "shrink/shrink_report.h"

namespace heddle::hunt {

// A step of the examination of a bug that had no result.
struct BugProblem {
  enum class Kind : std::uint8_t {
    NoClip,  // it did not fail again when it was recorded
    UnreadableClip,
    NotShrunk,       // `why`
    NoInterference,  // it fails in every order of its threads, one after the other
    ClipPasses,
    NotExplained,        // `why`
    NoBreakpoints,       // `why`
    NoSetOfBreakpoints,  // no set makes it fail in every native run
    NoWholeRun,          // `why`
    NotWritten,          // `why`: its report or its patch
    NoTime,              // the time was over before it was examined
  };
  Kind kind = Kind::NoClip;
  std::string why;  // an error's message
};

// One bug and the results about it.
struct Bug {
  run::Outcome outcome;
  std::string found_by;                             // "explore" or "predict"
  std::string clip;                                 // path of the smallest clip
  bool early_timeout = false;                       // needs a time-out that fires although another thread can run
  std::optional<shrink::ShrinkReport> shrunk;       // nullopt: no time, or not smaller
  std::optional<explain::Explanation> explanation;  // nullopt: no time, or not explained
  std::vector<std::string> also;                    // signatures of other failures with the same cause
  std::string report;                               // path of the HTML page; empty: none
  std::string patch;                                // path of a patch with breakpoints that reproduce it; empty: none
  std::string perfetto;                             // path of the whole run for ui.perfetto.dev; empty: not requested
  std::vector<BugProblem> problems;
};

struct HuntReport {
  std::uint64_t schedules = 0;
  std::uint64_t distinct_schedules = 0;
  std::uint64_t confirmed_anomalies = 0;  // predicted and executed, failing or not
  double seconds = 0;
  std::vector<Bug> bugs;  // those that need an early time-out come last
  clip::SourceUnits units;
  bool interrupted = false;
  bool out_of_time = false;    // the end of the time ended the search
  double seconds_per_run = 0;  // of the last search that finished one, on average; 0: none did
  std::vector<std::string> problems;
};

}  // namespace heddle::hunt
