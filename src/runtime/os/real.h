#pragma once
// libc's own versions of what the runtime interposes. `real::NAME` is the function that the program would have called.
namespace heddle::runtime {

// The address of libc's (or a later library's) definition; ends the process with one line when there is none.
void* find_real(const char* name, const char* version = nullptr);
// nullptr when there is none.
void* find_real_or_null(const char* name, const char* version = nullptr);

}  // namespace heddle::runtime

// Defines `real_NAME()` in the file that uses it: looked up at first use.
#define HEDDLE_REAL(name)                                                                                    \
  static auto real_##name() {                                                                                \
    static decltype(&::name) function = nullptr;                                                             \
    if (function == nullptr) function = reinterpret_cast<decltype(&::name)>(::heddle::runtime::find_real(#name)); \
    return function;                                                                                         \
  }

// What the program's calls reach instead of libc's.
#define HEDDLE_INTERPOSE extern "C" __attribute__((visibility("default")))
