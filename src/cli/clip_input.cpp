#include "cli/clip_input.h"

#include "run/clip_reader.h"

namespace heddle::cli {

Result<run::Clip> read_whole_clip(const std::string& path) {
  Result<run::ClipReading> reading = run::read_clip(path);
  if (!reading) return reading.error();
  if (!reading->problems.empty()) {
    const run::ClipProblem& problem = reading->problems.front();
    return Error{path + " is damaged at line " + std::to_string(problem.line) + ": " + problem.message};
  }
  if (!reading->clip.end) return Error{path + " is cut short: it does not say how the run ended"};
  return std::move(reading->clip);
}

}  // namespace heddle::cli
