// A value computed from a register depends on the value that was read into it.
#include <cassert>

namespace {
volatile int source = 1, noise = 2, target = 0, other = 0;
}

int main() {
  const int a = source;  // in
  const int b = noise;   // out
  target = a * 2;        // in
  other = b * 2;         // out
  assert(target == 0);   // in
}
