// Figure 4 of Park and Sen: thread 1 reaches its place after a great many steps, thread 2 at its beginning. The
// breakpoint (8, 10) lets thread 1 look first; the error is seen when thread 1 still finds 0.
//
// usage: figure4 [runs]; prints how many of them met and how many ended in ERROR
#include <heddle/breakpoint.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

struct Object {
  std::mutex lock;
  std::atomic<int> x = 0;
};

// f1() to f6(): work of no consequence that takes its time.
unsigned long work(unsigned long rounds) {
  unsigned long value = rounds;
  for (unsigned long i = 0; i < rounds; ++i) value = value * 6364136223846793005UL + 1442695040888963407UL;
  return value;
}

volatile unsigned long sink;

struct Outcome {
  bool met = false, error = false;
};

void foo(Object& o1, Outcome& outcome) {
  {
    const std::lock_guard guard(o1.lock);
    for (int f = 1; f <= 5; ++f) sink = work(2'000'000);
  }
  const heddle::BreakpointGuard guard = heddle::Breakpoint("figure4").first().conflict(&o1).timeout_ms(5000).guard();
  outcome.met = guard.hit();
  outcome.error = o1.x == 0;
}

void bar(Object& o2) {
  {
    HEDDLE_BREAKPOINT("figure4", second().conflict(&o2).timeout_ms(5000));
    o2.x = 1;
  }
  const std::lock_guard guard(o2.lock);
  sink = work(1000);
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 1;
  int met = 0, errors = 0;
  for (int i = 0; i < runs; ++i) {
    Object o;
    Outcome outcome;
    std::thread thread2([&] { bar(o); });
    std::thread thread1([&] { foo(o, outcome); });
    thread1.join();
    thread2.join();
    met += outcome.met ? 1 : 0;
    errors += outcome.error ? 1 : 0;
  }
  std::printf("met %d error %d\n", met, errors);
  return 0;
}
