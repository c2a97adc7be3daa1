// Two threads add to an int near its limit; the second addition overflows.
#include <climits>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int counter = INT_MAX - 1;

void count() {
  const std::lock_guard lock(mutex);
  ++counter;
}

}  // namespace

int main() {
  std::thread one(count);
  std::thread other(count);
  one.join();
  other.join();
}
