#pragma once
// From a failing clip to the smallest set of concurrent breakpoints that makes the program fail natively (C.-S. Park,
// K. Sen, "Concurrent Breakpoints", 2011). Beyond the paper: the set is found automatically.
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "breakpoints/breakpoint_file.h"
#include "breakpoints/source_patch.h"
#include "breakpoints/trials.h"
#include "clip/clip.h"
#include "experiment/progress.h"
#include "run/replay/replayer.h"
#include "support/result.h"

namespace heddle::breakpoints {

struct GenerateOptions {
  run::ReplayOptions replay;
  std::chrono::milliseconds time{60'000};  // for the search
  int runs = 20;                           // native runs, in all of which a set must fail
  // Accepts only a set that can be inserted into the sources, below `patch_root`.
  bool wants_patch = false;
  std::string patch_root;
};

// A rendezvous that was tried alone.
struct Tried {
  Rendezvous meeting;
  TrialCounts counts;
};

struct Generated {
  run::Outcome outcome;  // of the clip
  BreakpointSet set;     // empty: none was found
  std::optional<SourcePatch> patch;
  int runs = 0;  // native runs of the set, all of which failed
  std::size_t candidates = 0;
  std::vector<Tried> tried;
  int runs_made = 0;  // by the whole search
  double seconds = 0;
  std::vector<std::string> thread_names;  // descent names, by ThreadId
  std::string program;                    // absolute path
  std::vector<std::string> problems;
};

Result<Generated> generate(const clip::Clip& clip, const GenerateOptions& options,
                           const experiment::ShowProgress& show);

}  // namespace heddle::breakpoints
