#pragma once
// How a program starts in gdb. gdb starts it through a shell, in gdb's own environment and directory, so that nothing
// of it arrives byte by byte but the arguments. The rest is written to a file that gdb, the shell and the tool inherit:
// gdb's shell calls the tool (`set exec-wrapper`), and the tool turns itself into the program.
#include <span>
#include <string>
#include <vector>

#include "run/process/child_process.h"
#include "support/result.h"
#include "support/unique_fd.h"

namespace heddle::run {

// Turns `spec`, the start of a program, into the start of the debugger `command`. The program reads `stdin_file`;
// empty: what the debugger reads. The file behind the returned descriptor is for the child alone: close it after the
// start.
Result<UniqueFd> put_in_debugger(ChildSpec& spec, const std::string& stdin_file,
                                 const std::vector<std::string>& command);

// True: the debugger's shell has called the tool with these words, in the program's place.
bool is_debugged_start(std::span<char* const> words);

// REQUIRES: is_debugged_start(words). Returns only when it fails. What the user has set inside gdb has the last word:
// arguments, environment, directory, a redirected stdin.
Error become_debugged_program(std::span<char* const> words);

}  // namespace heddle::run
