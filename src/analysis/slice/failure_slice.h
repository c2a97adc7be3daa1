#pragma once
// The slice of a failure, as lines of the source.
#include <cstdint>
#include <string>
#include <vector>

#include "binary/sections/site_table.h"
#include "clip/clip.h"
#include "run/replay/replayer.h"
#include "slice/slicer.h"
#include "support/result.h"

namespace heddle::slice {

// True if the program contains flow tables, because it was built with HEDDLE_HOOKS=branches.
bool has_flow_table(const std::string& program_path);
Status check_flow_table(const std::string& program_path);

struct SlicedLine {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  std::uint64_t events = 0;  // relevant ones
};

struct SlicedThread {
  std::string name;  // by descent
  std::uint64_t relevant = 0;
};

struct FailureSlice {
  std::string outcome;
  std::uint64_t events = 0;    // accesses and synchronisation
  std::uint64_t relevant = 0;  // events on which the failure depends
  std::uint64_t records = 0;   // events, blocks and private accesses
  std::vector<SlicedLine> lines;
  std::vector<SlicedThread> threads;
  double run_seconds = 0;       // of the run; 0 for a recorded one
  double slicing_seconds = 0;   // processor time of the slicer
  double backward_seconds = 0;  // of which for the backward pass
};

// Runs the clip with all sites armed, and slices it from its failure. Fails if the program has no flow table or the
// clip no longer fails.
Result<FailureSlice> slice_clip(const clip::Clip& clip, const run::ReplayOptions& options);

// Slices a recorded run (RunOptions::record_flow) without running it again. Fails if the trace has no flow records, the
// run did not fail, or its program has been rebuilt.
Result<FailureSlice> slice_trace(const std::string& path);

// The lines of a slice, without outcome, threads and times. `sites`: of the run.
FailureSlice describe(const Slice& slice, binary::SiteTable& sites);

}  // namespace heddle::slice
