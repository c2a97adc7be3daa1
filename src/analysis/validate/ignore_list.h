#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace heddle::validate {

// The findings to skip: heddle.ignore, one rule a line, `#` begins a comment.
//
//   file: third_party/*        accesses in these files (a pattern with * and ?, matched at the end of the path)
//   function: Logger::*        accesses in these functions
//   line: queue.cpp:42         accesses on this line
//
// HEDDLE_BENIGN in the source skips accesses on its line and on the next.
class IgnoreList {
 public:
  static Result<IgnoreList> parse(std::string_view text, const std::string& file);

  bool ignores(const std::string& file, std::uint32_t line, const std::string& function) const;

 private:
  enum class Kind : std::uint8_t { File, Function, Line };
  struct Rule {
    Kind kind;
    std::string pattern;
  };
  bool is_benign(const std::string& file, std::uint32_t line) const;

  std::vector<Rule> rules_;
  mutable std::map<std::string, std::vector<bool>> benign_lines_;  // by file; read on first use
};

// Shell patterns with * and ?.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace heddle::validate
