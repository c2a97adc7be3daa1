#include "cli/clip_input.h"

#include "clip/clip_reader.h"

namespace heddle::cli {

Result<clip::Clip> read_whole_clip(const std::string& path) {
  Result<clip::ClipReading> reading = clip::read_clip(path);
  if (!reading) return reading.error();
  if (!reading->problems.empty()) {
    const clip::ClipProblem& problem = reading->problems.front();
    return Error{path + " is damaged at line " + std::to_string(problem.line) + ": " + problem.message +
                 "; record the run again with: heddle run --clip FILE -- PROGRAM"};
  }
  if (!reading->clip.end)
    return Error{path +
                 " is cut short: it does not say how the run ended; record it again with: heddle run --clip FILE "
                 "-- PROGRAM"};
  return std::move(reading->clip);
}

}  // namespace heddle::cli
