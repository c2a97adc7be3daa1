#pragma once
// The source files into which breakpoints are inserted.
#include <map>
#include <optional>
#include <string>

#include "breakpoints/statements.h"
#include "support/result.h"

namespace heddle::breakpoints {

class Sources {
 public:
  // Searches relative paths in `root`, in the working directory, and in the folders above `program`.
  Sources(std::string root, std::string program) : root_(std::move(root)), program_(std::move(program)) {}

  // The absolute path of a file named by the debug information.
  Result<std::string> find(const std::string& file) const;

  struct StatementInfo {
    std::uint32_t first_line = 0;
    bool splits = false;   // into a read and a write
    bool updates = false;  // splits, and writes what it reads
  };
  // The statement at a place; nullopt if the text is missing or there is no statement.
  std::optional<StatementInfo> find_statement_at(const std::string& file, std::uint32_t line, std::uint32_t column);

 private:
  const std::string root_, program_;
  std::map<std::string, std::string> texts_;  // by name in the debug information; empty: missing
};

}  // namespace heddle::breakpoints
