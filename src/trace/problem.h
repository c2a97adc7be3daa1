#pragma once
#include <string>

namespace heddle::trace {

// Something that could not be read. What was read before and after it is sound; where it is, is
// part of the message.
struct Problem {
  std::string message;
  bool operator==(const Problem&) const = default;
};

}  // namespace heddle::trace
