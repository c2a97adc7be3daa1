// Two threads count beyond what an int can hold; the second to come overflows.
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
