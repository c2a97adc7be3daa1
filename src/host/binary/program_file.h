#pragma once
#include <string>

#include "support/result.h"

namespace heddle::binary {

// The properties of a program that are known before it runs.
struct ProgramFile {
  std::string path;      // absolute
  std::string build_id;  // hex; empty: none
  bool elf = false;      // false: a script, whose interpreter is known only at run time
  bool dynamic = false;
  bool has_runtime = false;  // linked with libheddle_rt.so
  bool sanitized = false;    // has the runtime of AddressSanitizer or UndefinedBehaviorSanitizer
};

// Finds `program` as a shell does. Fails if it is missing, a directory or not executable.
Result<ProgramFile> find_program(const std::string& program);

// Fails with advice if Heddle cannot control the program: it is linked statically, or it lacks the runtime and
// `preload` is false.
Status check_controllable(const ProgramFile& program, bool preload);

}  // namespace heddle::binary
