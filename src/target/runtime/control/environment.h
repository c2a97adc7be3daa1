#pragma once
// The environment as the kernel handed it over; used before libc knows it.
namespace heddle::runtime {

void remember_environment(char** environment);
// nullptr: it is not there.
const char* find_variable(const char* name);
// The value of NAME, and NAME is gone from the environment. nullptr: it was not there.
const char* take_variable(const char* name);
// The program's children must not be preloaded with the runtime.
void remove_own_preload();

}  // namespace heddle::runtime
