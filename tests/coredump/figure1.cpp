// Figure 1 of multicore dumps: p is null when x is set, and T2 clears x in between. Fails only in the second iteration,
// and only if T2 runs immediately after the release of the lock.
#include <cstdio>
#include <mutex>
#include <thread>

#include "gate.h"

struct Node {
  int value;
};

std::mutex guard;
volatile int x;
volatile int a[8] = {0, 1};
volatile int rounds = 2, gated = 1;  // or the loop would be unrolled, or peeled
Node nodes[8] = {{1}, {2}};
int sum;

__attribute__((noinline)) void F(Node* p) { sum += p->value; }

__attribute__((noinline)) void T1() {
  for (int i = 0; i < rounds; ++i) {
    x = 0;
    Node* p = &nodes[i];
    guard.lock();
    if (a[i] != 0) {
      x = 1;
      p = nullptr;
    }
    guard.unlock();
    if (i == gated) {
      gate_open(0);
      gate_wait(1);
    }
    if (x == 0)  // diverges here
      F(p);
  }
}

__attribute__((noinline)) void T2() {
  gate_wait(0);
  x = 0;
  gate_open(1);
}

int main() {
  std::thread first(T1), second(T2);
  first.join();
  second.join();
  std::printf("%d\n", sum);
  return 0;
}
