// The actions of a thread depend on the conditions by which it was started, and on its argument.
#include <cassert>
#include <thread>

namespace {
volatile int decides = 1, value = 5, noise = 2, target = 0, other = 0;
}

int main() {
  std::thread worker;
  other = noise;                                              // out
  if (decides != 0) {                                         // in
    const int argument = value;                               // in
    worker = std::thread([argument] { target = argument; });  // in
  }
  worker.join();
  assert(target == 0);  // in
}
