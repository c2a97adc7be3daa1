#pragma once
// How a program starts in gdb. gdb starts programs through a shell, in its own environment and directory, so only the
// arguments reach the program unchanged. Path, directory, stdin and environment go into a file that gdb and the shell
// inherit. The shell calls this tool (`set exec-wrapper`), which reads the file and executes the program.
#include <span>
#include <string>
#include <vector>

#include "run/process/child_process.h"
#include "support/result.h"
#include "support/unique_fd.h"

namespace heddle::run {

// Changes `spec`, the start of a program, into the start of the debugger `command`. The program will read `stdin_file`;
// empty: the stdin of the debugger. Only the child uses the returned descriptor: close it after the start.
Result<UniqueFd> put_in_debugger(ChildSpec& spec, const std::string& stdin_file,
                                 const std::vector<std::string>& command);

// True if gdb's shell has called this tool instead of the program.
bool is_debugged_start(std::span<char* const> words);

// Executes the program; returns only on failure. Settings made inside gdb take precedence: arguments, environment,
// directory, a redirected stdin. REQUIRES: is_debugged_start(words).
Error become_debugged_program(std::span<char* const> words);

}  // namespace heddle::run
