#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "clip/clip.h"
#include "support/result.h"

namespace heddle::clip {

struct ClipProblem {
  std::size_t line;  // from 1
  std::string message;
};

// What could be read. Reading ends at the first line that is wrong, so that the schedule is always
// a true prefix of the one that was written; clip.end is then empty.
struct ClipReading {
  Clip clip;
  std::vector<ClipProblem> problems;
};

// Fails when there is nothing to go by: no file, not a clip, another version, a head that is
// incomplete or wrong. `name` is for messages.
Result<ClipReading> parse_clip(std::string_view text, const std::string& name);
// Compressed or not.
Result<ClipReading> read_clip(const std::string& path);

}  // namespace heddle::clip
