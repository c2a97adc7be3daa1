// What is done on one way of a branch depends on what the branch was decided by; what follows both ways does not.
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
