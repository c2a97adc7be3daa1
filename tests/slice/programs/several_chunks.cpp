// What a failure depends on is found across the chunks of a long trace, which are logged side by side: a value that was
// set in the first one, by functions that the threads are in from the first to the last.
#include <cassert>
#include <thread>

namespace {

constexpr int kRounds = 20000;  // several hundred thousand records
volatile int source = 1, sum = 0, noise = 0;

__attribute__((noinline)) int add(int before, int value) {
  sum = before + value;  // in
  noise = noise + 1;     // out
  return sum;            // in
}

__attribute__((noinline)) void work() {
  int value = source;  // in
  for (int i = 0; i < kRounds; ++i) {
    value = add(value, i);
    noise = value;  // out
  }
  assert(sum == 0);  // in
}

__attribute__((noinline)) void make_noise() {
  for (int i = 0; i < kRounds; ++i) noise = i;  // out
}

}  // namespace

int main() {
  std::thread noisy(make_noise);
  noisy.join();
  work();
}
