#pragma once
// The source files that breakpoints are written into.
#include <map>
#include <optional>
#include <string>

#include "breakpoints/statements.h"
#include "support/result.h"

namespace heddle::breakpoints {

class Sources {
 public:
  // Relative paths of debug information are looked for in `root`, here, and in the folders above `program`.
  Sources(std::string root, std::string program) : root_(std::move(root)), program_(std::move(program)) {}

  // The absolute path of a file of the debug information.
  Result<std::string> find(const std::string& file) const;

  // The lines of the statement at a place, as far as the place; nullopt: the text is not there, or no statement is.
  struct Lines {
    std::uint32_t first = 0, last = 0;
    bool splits = false;   // between what it reads and what it writes
    bool updates = false;  // ... and what it reads is what it writes
  };
  std::optional<Lines> statement_lines(const std::string& file, std::uint32_t line, std::uint32_t column);

 private:
  const std::string root_, program_;
  std::map<std::string, std::string> texts_;  // by name in the debug information; empty: not there
};

}  // namespace heddle::breakpoints
