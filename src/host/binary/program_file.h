#pragma once
#include <string>

#include "support/result.h"

namespace heddle::binary {

// What can be said of a program before it runs.
struct ProgramFile {
  std::string path;      // absolute
  std::string build_id;  // hex; empty: it has none
  bool elf = false;      // else a script: only the run tells
  bool dynamic = false;
  bool has_runtime = false;  // linked with libheddle_rt.so
  bool sanitized = false;    // AddressSanitizer's or UndefinedBehaviorSanitizer's runtime comes with it
};

// Finds `program` as a shell would. Fails when it is missing, a directory or not executable.
Result<ProgramFile> find_program(const std::string& program);

// Fails, with what to do about it, when the program cannot be taken under control: it is static, or it lacks the
// runtime and `preload` does not bring it in.
Status check_controllable(const ProgramFile& program, bool preload);

}  // namespace heddle::binary
