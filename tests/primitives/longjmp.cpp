// setjmp and longjmp within each of several threads that switch in between; and the variant that
// keeps the signal mask.
#include <sched.h>

#include <csetjmp>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

std::mutex mutex;
int shared_steps;

void step() {
  mutex.lock();
  ++shared_steps;
  mutex.unlock();
  sched_yield();
}

[[noreturn]] void jump_from_below(std::jmp_buf& target, int depth, int value) {
  step();
  if (depth > 0) jump_from_below(target, depth - 1, value);
  std::longjmp(target, value);
}

void jump_again_and_again() {
  std::jmp_buf target;
  volatile int jumps = 0;
  const int value = setjmp(target);
  EXPECT(value == jumps);
  step();
  if (jumps < 20) {
    jumps = jumps + 1;
    jump_from_below(target, 3, jumps);
  }
}

void the_signal_mask_comes_back() {
  sigjmp_buf target;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  if (sigsetjmp(target, 1) == 0) {
    EXPECT(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
    step();
    siglongjmp(target, 1);
  }
  sigset_t now;
  EXPECT(pthread_sigmask(SIG_SETMASK, nullptr, &now) == 0);
  EXPECT(sigismember(&now, SIGUSR1) == 0);
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back(jump_again_and_again);
    threads.emplace_back(the_signal_mask_comes_back);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(shared_steps == 3 * (21 + 20 * 4) + 3);
  return finish();
}
