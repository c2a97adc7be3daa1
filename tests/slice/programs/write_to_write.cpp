// A write depends on the write of another thread before it: had that been later, its value would be read.
#include <cassert>
#include <thread>

namespace {
volatile int shared = 0, noise = 2;
}

int main() {
  std::thread writer([] {
    shared = 1;  // in
    noise = 3;   // out
  });
  writer.join();
  shared = 2;           // in
  assert(shared == 0);  // in
}
