// Synchronisation whose places are known: a line says at its end which kinds of events happen there. No operation is
// the last thing that its function does, so that none is a jump without a return address.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex, other;
std::condition_variable condition;
bool ready = false;
volatile int rounds = 0;

void wait_until_ready() {
  std::unique_lock lock(mutex);         // lock
  while (!ready) condition.wait(lock);  // wait unlock woken lock
  lock.unlock();                        // unlock
  rounds = rounds + 1;
}

void make_ready() {
  {
    std::lock_guard guard(mutex);  // lock
    ready = true;
  }  // unlock
  condition.notify_one();  // signal
  condition.notify_all();  // broadcast
}

void take_both() {
  {
    std::scoped_lock both(mutex, other);  // lock
    rounds = rounds + 1;
  }  // unlock
  rounds = rounds + 1;
}

}  // namespace

int main() {
  for (int round = 0; round < 3; ++round) {
    ready = false;
    std::thread waiting(wait_until_ready);  // fork
    make_ready();
    waiting.join();  // join
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back(take_both);  // fork
    }
    for (std::thread& thread : threads) {
      thread.join();  // join
    }
  }
  return 0;
}
