#pragma once
// The real versions, in libc or another library, of the functions that the runtime interposes.
namespace heddle::runtime {

// The address of the next definition after the runtime's; ends the process if there is none.
void* find_real(const char* name, const char* version = nullptr);

// A real function that the runtime calls, in the section that resolve_real_functions() iterates over.
struct RealFunction {
  const char* name;
  const char* version;  // nullptr: the default one
  void* address;        // nullptr: not looked up yet
};

// Looks up all of them, before any of them is called. A later lookup could fail in two ways: it takes the loader's
// lock, which another thread may hold while it blocks in a constructor; and it frees memory of an earlier lookup, for
// which a sanitizer's allocator may read the time, by a function that is itself interposed.
void resolve_real_functions();

}  // namespace heddle::runtime

// The function that the program would have called without the runtime.
#define HEDDLE_REAL_VERSION(name, version)                                                      \
  ([] {                                                                                         \
    static ::heddle::runtime::RealFunction entry                                                \
        __attribute__((section("heddle_real"), used)) = {#name, version, nullptr};              \
    if (entry.address == nullptr) entry.address = ::heddle::runtime::find_real(#name, version); \
    return reinterpret_cast<decltype(&::name)>(entry.address);                                  \
  }())
#define HEDDLE_REAL(name) HEDDLE_REAL_VERSION(name, nullptr)

// Declares a function that interposes libc's.
#define HEDDLE_INTERPOSE extern "C" __attribute__((visibility("default")))
// Defines one whose body is a single expression, the last argument. Without control it calls the real function.
#define HEDDLE_INTERPOSED(result, name, parameters, arguments, ...)           \
  HEDDLE_INTERPOSE result name parameters {                                   \
    if (!::heddle::runtime::controlled()) return HEDDLE_REAL(name) arguments; \
    return static_cast<result>(__VA_ARGS__);                                  \
  }
