#pragma once
#include <string>

namespace heddle::trace {

// Something that could not be read. What was read before and after it is sound; where it is, is
// part of the message.
struct Problem {
  std::string message;
  bool cut_short = false;  // the file ends early, as when its recorder was stopped; what was read is a true prefix
  bool operator==(const Problem&) const = default;
};

}  // namespace heddle::trace
