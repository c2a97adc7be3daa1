// The slice follows arguments into functions and results out of them.
#include <cassert>

namespace {

volatile int source = 1, noise = 2, other = 0;

__attribute__((noinline)) int twice(int value) { return value * 2; }
__attribute__((noinline)) int read_source() {
  return source;  // in
}
__attribute__((noinline)) int read_noise() {
  return noise;  // out
}

}  // namespace

int main() {
  const int a = twice(read_source());
  other = twice(read_noise());  // out
  assert(a == 0);
}
