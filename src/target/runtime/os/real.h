#pragma once
// libc's own versions of what the runtime interposes.
namespace heddle::runtime {

// The address of libc's (or a later library's) definition; ends the process with one line when there is none.
void* find_real(const char* name, const char* version = nullptr);

// A function of libc that the runtime calls somewhere, in the section that resolve_real_functions() walks.
struct RealFunction {
  const char* name;
  const char* version;  // nullptr: the default one
  void* address;        // nullptr: not looked up yet
};

// Looks all of them up, before anybody can call one. No look-up may come later: it takes the loader's lock, which
// another thread may hold while it waits in a constructor; and it frees what an earlier one left, for which the
// allocator of a sanitizer asks the time, which is one of these functions.
void resolve_real_functions();

}  // namespace heddle::runtime

// The function that the program would have called.
#define HEDDLE_REAL_VERSION(name, version)                                                      \
  ([] {                                                                                         \
    static ::heddle::runtime::RealFunction entry                                                \
        __attribute__((section("heddle_real"), used)) = {#name, version, nullptr};              \
    if (entry.address == nullptr) entry.address = ::heddle::runtime::find_real(#name, version); \
    return reinterpret_cast<decltype(&::name)>(entry.address);                                  \
  }())
#define HEDDLE_REAL(name) HEDDLE_REAL_VERSION(name, nullptr)

// What the program's calls reach instead of libc's.
#define HEDDLE_INTERPOSE extern "C" __attribute__((visibility("default")))
// The whole of it where there is one expression: libc's own without control, else what comes last.
#define HEDDLE_INTERPOSED(result, name, parameters, arguments, ...)           \
  HEDDLE_INTERPOSE result name parameters {                                   \
    if (!::heddle::runtime::controlled()) return HEDDLE_REAL(name) arguments; \
    return static_cast<result>(__VA_ARGS__);                                  \
  }
