// Two threads change an entry and a flag that says whether it is empty, in two steps (as in Moz-jsInterp). The program
// fails if one thread is preempted between the steps, the other fills the entry, and the first sets the flag and is
// preempted again. By the time when the core is written, the first thread has finished its work.
#include <cassert>
#include <cstdio>
#include <thread>

#include "gate.h"

volatile int entry, is_empty = 1;
volatile int rounds = 6, gated = 3;

__attribute__((noinline)) void flush(bool is_gated) {
  if (is_empty != 0) return;
  entry = 0;
  if (is_gated) {
    gate_open(0);
    gate_wait(1);
  }
  is_empty = 1;
}

__attribute__((noinline)) void fill_and_flush() {
  for (int i = 0; i < rounds; ++i) {
    if (i == gated) gate_wait(5);
    is_empty = 0;  // of an entry of its own
    flush(i == gated);
    if (i != gated) continue;
    gate_open(2);
    gate_wait(3);
  }
  is_empty = 0;
  gate_open(4);
}

__attribute__((noinline)) void redefine_and_read() {
  for (int i = 0; i < rounds; ++i) {
    const int defined = i + 1;
    if (i == gated + 1) gate_wait(2);
    flush(false);
    if (i == gated) {
      gate_open(5);
      gate_wait(0);
    }
    int found = entry;
    if (found == 0) {
      entry = found = defined;
      is_empty = 0;
    }
    if (i == gated) gate_open(1);
    if (i == gated + 1) {
      gate_open(3);
      gate_wait(4);
    }
    assert(found == defined);
  }
}

int main() {
  std::thread other(fill_and_flush), reader(redefine_and_read);
  other.join();
  reader.join();
  std::printf("%d\n", entry);
  return 0;
}
