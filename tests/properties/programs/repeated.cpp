// Two threads add to a counter again and again, without a lock, and one of them checks that the other did not
// interfere. Its loop is one that no compiler knows to be repetitive; the other's counts.
#include <heddle/annotate.h>

#include <cassert>
#include <thread>

namespace {

volatile int counter = 0;

void count(int times) {
  for (int i = 0; i < times; ++i) {
    const int old = counter;
    counter = old + 1;
  }
}

void look(int times) {
  while (times-- > 0) {
    HEDDLE_REPEAT("look once") {
      const int before = counter;
      counter = before + 1;
      assert(counter == before + 1);
    }
  }
}

}  // namespace

int main() {
  std::thread first(count, 10);
  std::thread second(look, 10);
  first.join();
  second.join();
}
