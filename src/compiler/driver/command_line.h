#pragma once
// Reads the part of a compiler command line that the driver needs. All other options are passed to clang unread.
#include <optional>
#include <string>
#include <vector>

namespace heddle::instrument {

struct CommandLine {
  bool compiles = false;  // C, C++ or LLVM IR, from a file or stdin
  bool links = false;     // into an executable or a shared library
  bool reads_stdin = false;
  std::string output = "a.out";     // the linked file
  bool chooses_debug_info = false;  // -g, -g0, -ggdb ...
  // Why Heddle cannot build this, and what to type instead; one line.
  std::optional<std::string> refusal;
};

// `arguments`: without the program's name, with response files expanded.
CommandLine read_command_line(const std::vector<std::string>& arguments);

}  // namespace heddle::instrument
