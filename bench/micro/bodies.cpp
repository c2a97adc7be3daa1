// A small test body: two threads that add to a counter under a lock, twice each. A number as argument is the length of
// a prefix: the steps that one thread makes alone before it.
#include <heddle/schedules.h>

#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

long prefix_sum = 0;
long* volatile prefix_target = &prefix_sum;  // an access to shared memory that the optimiser keeps

void prefix(long steps) {
  for (long i = 0; i < steps; ++i) *prefix_target += i;
}

}  // namespace

int main(int argc, char** argv) {
  const long steps = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  prefix(steps);
  for (heddle::Schedules schedules; schedules.next();) {
    int counter = 0;
    std::mutex mutex;
    const auto add = [&] {
      for (int i = 0; i < 2; ++i) {
        const std::lock_guard guard(mutex);
        ++counter;
      }
      const std::lock_guard guard(mutex);
      *prefix_target += 1;
    };
    std::thread first(add), second(add);
    first.join();
    second.join();
    if (counter != 4) return 1;
  }
  return 0;
}
