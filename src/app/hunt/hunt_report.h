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

// What could not be found out about a bug.
struct BugProblem {
  enum class Kind : std::uint8_t {
    NoClip,  // it did not fail again when it was to be recorded
    UnreadableClip,
    NotShrunk,       // `why`
    NoInterference,  // it fails in every order of its threads
    ClipPasses,
    NotExplained,        // `why`
    NoBreakpoints,       // `why`
    NoSetOfBreakpoints,  // none makes it fail in every native run
    NoWholeRun,          // `why`
    NotWritten,          // `why`: a file of it
  };
  Kind kind = Kind::NoClip;
  std::string why;  // an error's message
};

// One bug, with all that could be found out about it.
struct Bug {
  run::Outcome outcome;
  std::string found_by;                             // "explore" or "predict"
  std::string clip;                                 // the smallest that was written; a path
  std::optional<shrink::ShrinkReport> shrunk;       // missing: there was no time, or it could not be made smaller
  std::optional<explain::Explanation> explanation;  // likewise
  std::vector<std::string> also;                    // signatures of other failures that have the same cause
  std::string report;                               // path of the page for people; empty: none
  std::string patch;                                // breakpoints that bring it about; a path; empty: none
  std::string perfetto;  // the clip's whole run, to be looked at; a path; empty: not asked for
  std::vector<BugProblem> problems;
};

struct HuntReport {
  std::uint64_t schedules = 0;
  std::uint64_t distinct_schedules = 0;
  std::uint64_t confirmed_anomalies = 0;  // predicted and executed, failing or not
  double seconds = 0;
  std::vector<Bug> bugs;
  clip::SourceUnits units;
  bool interrupted = false;
  std::vector<std::string> problems;
};

}  // namespace heddle::hunt
