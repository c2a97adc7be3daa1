#pragma once
// The slice of a clip's failure, as lines of the source.
#include <cstdint>
#include <string>
#include <vector>

#include "run/clip.h"
#include "run/outcome.h"
#include "run/replayer.h"
#include "support/result.h"

namespace heddle::slice {

// The program tells how its values flow: it was built with HEDDLE_HOOKS=branches.
bool tells_flow(const std::string& program_path);

struct SlicedLine {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  std::uint64_t events = 0;  // at it, that the failure depends on
};

struct SlicedThread {
  std::string name;  // by descent
  std::uint64_t relevant = 0;
};

struct ClipSlice {
  run::Outcome outcome;
  std::uint64_t events = 0;    // accesses and synchronisation
  std::uint64_t relevant = 0;  // of them, that the failure depends on
  std::uint64_t records = 0;   // that were heard: events, blocks, private accesses
  std::vector<SlicedLine> lines;
  std::vector<SlicedThread> threads;
  double run_seconds = 0;      // of the run that was heard
  double slicing_seconds = 0;  // of this side's processor time
};

// Runs the clip once more, with everything armed, and slices it from its failure. Fails when the program was not built for
// it or the clip does not fail any more.
Result<ClipSlice> slice_clip(const run::Clip& clip, const run::ReplayOptions& options);

}  // namespace heddle::slice
