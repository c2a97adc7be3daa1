// A library that is opened, used by threads of its own and closed so often that the numbers of its sites come round.
#include <dlfcn.h>

#include <cstring>

#include "expect.h"
#include "lib/threads_inside.h"

namespace {

volatile int touched[64];

// A place in the source, and so sites, for each.
template <int kCount>
void touch() {
  touched[kCount - 1] = touched[kCount - 1] + 1;
  if constexpr (kCount > 1) touch<kCount - 1>();
}

}  // namespace

int main() {
  for (int round = 0; round < 120; ++round) {
    void* library = dlopen(PRIM_THREADS_INSIDE, RTLD_NOW);
    EXPECT(library != nullptr);
    void* symbol = dlsym(library, "library_count");
    decltype(&library_count) count;
    std::memcpy(&count, &symbol, sizeof symbol);
    EXPECT(count(2, 3) == 6);  // its counter is a new one
    EXPECT(dlclose(library) == 0);
  }
  touch<64>();  // sites whose numbers were the library's, too
  return finish();
}
