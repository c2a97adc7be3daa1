#pragma once
#include <string>

namespace heddle::trace {

// A part of a file that could not be read; the message names its position. All data before and after it is sound.
struct Problem {
  std::string message;
  bool cut_short = false;  // the file ends early, as after its recorder was killed; the data read is a true prefix
  bool operator==(const Problem&) const = default;
};

}  // namespace heddle::trace
