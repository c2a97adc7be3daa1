// The number of iterations of a loop depends on its condition.
#include <cassert>

namespace {
volatile int limit = 3, noise = 5, other = 0;
}

int main() {
  int count = 0;
  for (int i = 0; i < limit; ++i) {  // in
    ++count;
  }
  for (int i = 0; i < noise; ++i) {  // out
    other = i;                       // out
  }
  assert(count == 0);
}
