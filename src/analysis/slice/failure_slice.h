#pragma once
// The slice of a failure, as lines of the source.
#include <cstdint>
#include <string>
#include <vector>

#include "binary/sections/site_table.h"
#include "slice/slicer.h"
#include "support/result.h"

namespace heddle::slice {

// Fails for a program that does not tell how its values flow: that was not built with HEDDLE_HOOKS=branches.
Status check_tells_flow(const std::string& program_path);
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

struct FailureSlice {
  std::string outcome;
  std::uint64_t events = 0;    // accesses and synchronisation
  std::uint64_t relevant = 0;  // of them, that the failure depends on
  std::uint64_t records = 0;   // that were heard: events, blocks, private accesses
  std::vector<SlicedLine> lines;
  std::vector<SlicedThread> threads;
  double run_seconds = 0;       // of the run that was heard; 0: none was, it had been recorded
  double slicing_seconds = 0;   // of this side's processor time
  double backward_seconds = 0;  // of them, going back from the failure through what was logged
};

// What of the failure was found, without threads and times. `sites`: of the run.
FailureSlice describe(const Slice& slice, binary::SiteTable& sites);

// Processor time of this thread, and of all of this process.
double thread_seconds();
double process_seconds();

}  // namespace heddle::slice
