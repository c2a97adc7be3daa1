// A read depends on the last write of another thread.
#include <cassert>
#include <thread>

namespace {
volatile int source = 1, noise = 2, target = 0, other = 0;
}

int main() {
  std::thread writer([] {
    target = source;  // in
    other = noise;    // out
  });
  writer.join();
  assert(target == 0);  // in
}
