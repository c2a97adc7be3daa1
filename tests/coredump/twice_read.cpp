// A pointer is tested and then read again. In every sequential order it is null at the test. One preemption of the
// thread that sets and clears it is needed to reach the statement of the crash, and another one at that statement.
#include <cstdio>
#include <thread>

#include "gate.h"

int value = 7;
int* volatile shown;
volatile int rounds = 3, gated = 2;

__attribute__((noinline)) void show_and_hide() {
  for (int i = 0; i < rounds; ++i) {
    shown = &value;
    if (i == gated) {
      gate_open(0);
      gate_wait(1);
    }
    shown = nullptr;
    if (i == gated) gate_open(2);
  }
}

__attribute__((noinline)) int look() {
  if (shown == nullptr) return 0;
  gate_open(1);
  gate_wait(2);
  return *shown;
}

int main() {
  std::thread other(show_and_hide);
  gate_wait(0);
  const int seen = look();
  other.join();
  std::printf("%d\n", seen);
  return 0;
}
