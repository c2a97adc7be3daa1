// A library opened at run time that starts threads and has thread-local objects; opened by two
// threads at once.
#include <dlfcn.h>

#include <cstring>
#include <thread>

#include "expect.h"
#include "lib/threads_inside.h"

namespace {

template <class Function>
Function find(void* library, const char* name) {
  void* symbol = dlsym(library, name);
  EXPECT(symbol != nullptr);
  Function function;
  std::memcpy(&function, &symbol, sizeof symbol);
  return function;
}

}  // namespace

int main() {
  void* libraries[2];
  {
    std::jthread other([&] { libraries[0] = dlopen(PRIM_THREADS_INSIDE, RTLD_NOW); });
    libraries[1] = dlopen(PRIM_THREADS_INSIDE, RTLD_NOW);
  }
  EXPECT(libraries[0] != nullptr && libraries[0] == libraries[1]);

  const auto count = find<decltype(&library_count)>(libraries[0], "library_count");
  const auto calls = find<decltype(&library_calls_of_this_thread)>(libraries[0], "library_calls_of_this_thread");
  const auto destroyed = find<decltype(&library_locals_destroyed)>(libraries[0], "library_locals_destroyed");
  EXPECT(count(3, 20) == 60);
  EXPECT(destroyed() == 3);
  {
    std::jthread other([&] {
      for (int i = 1; i <= 5; ++i) EXPECT(calls() == i);
    });
    for (int i = 1; i <= 5; ++i) EXPECT(calls() == i);
  }
  EXPECT(destroyed() == 4);
  EXPECT(dlclose(libraries[0]) == 0);
  EXPECT(count(2, 10) == 80);
  EXPECT(dlclose(libraries[1]) == 0);
  return finish();
}
