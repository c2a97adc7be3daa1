// Code on one side of a branch depends on the condition of the branch; code after both sides does not.
#include <cassert>

namespace {
volatile int decides = 1, noise = 1, target = 0, other = 0;
}

int main() {
  if (noise != 0) {  // out
    other = 1;       // out
  }
  if (decides != 0) {  // in
    target = 1;        // in
  }
  assert(target == 0);  // in
}
