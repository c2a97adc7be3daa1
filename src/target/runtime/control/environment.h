#pragma once
// The environment as the kernel passed it, for use before libc has initialised its own.
namespace heddle::runtime {

void remember_environment(char** environment);
// The value of the variable; nullptr: it is not set.
const char* find_variable(const char* name);
// The same, and removes the variable from the environment.
const char* take_variable(const char* name);
// Removes the runtime from LD_PRELOAD, so that the program's child processes do not load it.
void remove_own_preload();

}  // namespace heddle::runtime
