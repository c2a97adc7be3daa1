// A value read from memory depends on its last writer, element by element.
#include <cassert>

namespace {
volatile int source = 1, noise = 2;
volatile int cells[4];
}  // namespace

int main() {
  cells[0] = noise;       // out
  cells[0] = source;      // in
  cells[1] = noise;       // out
  assert(cells[0] == 0);  // in
}
