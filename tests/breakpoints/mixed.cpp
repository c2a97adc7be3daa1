// The two sides of a breakpoint are in two shared libraries, one in C and one in C++; the program has a third. With an
// argument the libraries are loaded by dlopen.
#include <dlfcn.h>
#include <heddle/breakpoint.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

extern "C" int first_side(int* value);
extern "C" bool second_side(int* value, int* seen);
extern "C" bool held_in_library(const char* type);

namespace {

#ifdef HEDDLE_TEST_DLOPEN
void* load(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void* const found = handle != nullptr ? dlsym(handle, name) : nullptr;
  if (found == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  return found;
}
#define SIDE(library, name) reinterpret_cast<decltype(&name)>(load(library, #name))
#else
#define SIDE(library, name) &name
#endif

template <typename First, typename Second>
bool meet(First first, Second second) {
  bool hit[2] = {};
  std::thread a([&] { hit[0] = first(); });
  std::thread b([&] { hit[1] = second(); });
  a.join();
  b.join();
  return hit[0] && hit[1];
}

bool check(bool holds, const char* what) {
  std::printf("%s: %s\n", what, holds ? "yes" : "NO");
  return holds;
}

}  // namespace

int main() {
  const auto first = SIDE(HEDDLE_TEST_FIRST_SIDE, first_side);
  const auto second = SIDE(HEDDLE_TEST_SECOND_SIDE, second_side);
  const auto held = SIDE(HEDDLE_TEST_SECOND_SIDE, held_in_library);

  int value = 0, seen = 0;
  bool well = check(meet([&] { return first(&value) != 0; }, [&] { return second(&value, &seen); }), "libraries meet");
  well &= check(seen == 1, "in order");

  value = 0;
  well &= check(meet(
                    [&] {
                      HEDDLE_BREAKPOINT("unused", first().when(false));
                      return heddle::Breakpoint("mixed").first().conflict(&value).timeout_ms(20'000).here();
                    },
                    [&] { return second(&value, &seen); }),
                "program and library meet");

  const heddle::HeldLock lock(&value, "Caret");
  well &= check(held("Caret"), "a library knows the program's locks");
  return well ? 0 : 1;
}
