// Code under a lock depends on the thread that released it last, and on the conditions by which it was acquired.
#include <cassert>
#include <mutex>
#include <thread>

namespace {
std::mutex mutex;
volatile int decides = 1, noise = 2, target = 0, other = 0;
}  // namespace

int main() {
  std::thread holder([] {
    other = noise;       // out
    if (decides != 0) {  // in
      mutex.lock();
      mutex.unlock();
    }
  });
  holder.join();
  mutex.lock();
  target = 1;  // in
  mutex.unlock();
  assert(target == 0);  // in
}
