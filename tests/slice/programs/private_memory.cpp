// Memory that no other thread can see is followed as well: through an array, and into a function that takes it.
#include <cassert>
#include <cstring>

namespace {

volatile int source = 1, noise = 2, place = 1;

__attribute__((noinline)) void fill(int* to, int value) { *to = value; }

}  // namespace

int main() {
  int cells[4] = {};
  int lent = 0;
  const int value = source;   // in
  const int useless = noise;  // out
  fill(&lent, value);
  cells[place] = lent;
  int copy[4];
  std::memcpy(copy, cells, sizeof copy);
  cells[place] = useless;
  assert(copy[1] == 0);
}
