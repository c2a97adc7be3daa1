#pragma once
// Reads a compiler command line as far as the driver must understand it. Everything else is clang's business.
#include <optional>
#include <string>
#include <vector>

namespace heddle::instrument {

struct CommandLine {
  bool compiles = false;            // C or C++ (or LLVM IR), from a file or stdin
  bool links = false;               // into an executable or a shared library
  bool reads_stdin = false;
  std::string output = "a.out";     // of linking
  bool chooses_debug_info = false;  // -g, -g0, -ggdb ...
  // What Heddle cannot build, and what to type instead; one line.
  std::optional<std::string> refusal;
};

// `arguments`: without the program's name, response files expanded.
CommandLine read_command_line(const std::vector<std::string>& arguments);

}  // namespace heddle::instrument
