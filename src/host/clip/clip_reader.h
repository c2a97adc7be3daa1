#pragma once
#include <cstddef>
#include <string_view>

#include "clip/clip.h"
#include "support/result.h"

namespace heddle::clip {

struct ClipProblem {
  std::size_t line;  // from 1
  std::string message;
};

// The readable part of a clip. Reading stops at the first wrong line, so that the schedule is always a prefix of the
// written one; clip.end is then empty.
struct ClipReading {
  Clip clip;
  std::vector<ClipProblem> problems;
};

// Fails if there is nothing to replay: no file, not a clip, another version, or a wrong head. `name` is for messages.
Result<ClipReading> parse_clip(std::string_view text, const std::string& name);
// The file may be compressed.
Result<ClipReading> read_clip(const std::string& path);

}  // namespace heddle::clip
