// A lost update without a crash: the program itself reports that its result is wrong.
#include <heddle/failure.h>

#include <cstdio>
#include <thread>

#include "gate.h"

volatile int deposits;

__attribute__((noinline)) void slow_deposit() {
  const int before = deposits;
  gate_open(0);
  gate_wait(1);
  deposits = before + 1;
}

__attribute__((noinline)) void fast_deposit() {
  gate_wait(0);
  deposits = deposits + 1;
  gate_open(1);
}

int main() {
  std::thread slow(slow_deposit), fast(fast_deposit);
  slow.join();
  fast.join();
  if (deposits != 2) heddle_report_failure("a deposit is lost");
  std::printf("%d\n", deposits);
  return 0;
}
