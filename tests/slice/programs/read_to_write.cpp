// A write depends on the reads of other threads before it: had these been later, they would have read the new value.
#include <cassert>
#include <thread>

namespace {
volatile int shared = 0, noise = 2, seen = 0, other = 0;
}

int main() {
  std::thread reader([] {
    seen = shared;  // in
    other = noise;  // out
  });
  reader.join();
  shared = 1;           // in
  assert(shared == 0);  // in
}
