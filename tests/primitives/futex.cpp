// The futex system call, called directly: wait, wake, bitsets, requeue, and its errors.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <ctime>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

using Word = std::atomic<std::uint32_t>;

long futex(Word& word, int operation, std::uint32_t value, const timespec* timeout = nullptr, Word* other = nullptr,
           std::uint32_t last = 0) {
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, timeout, other, last);
}

long requeue(Word& from, std::uint32_t wake, unsigned long move, Word& to, std::uint32_t expected) {
  return syscall(SYS_futex, &from, FUTEX_CMP_REQUEUE | FUTEX_PRIVATE_FLAG, wake, move, &to, expected);
}

class FutexMutex {
 public:
  void lock() {
    std::uint32_t free = 0;
    if (state_.compare_exchange_strong(free, 1)) return;
    while (state_.exchange(2) != 0) futex(state_, FUTEX_WAIT, 2);
  }
  void unlock() {
    if (state_.exchange(0) == 2) futex(state_, FUTEX_WAKE, 1);
  }

 private:
  Word state_ = 0;  // 2: held, and a thread may wait
};

void a_mutex_made_of_it_excludes() {
  FutexMutex mutex;
  int counter = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 60; ++round) {
        mutex.lock();
        const int before = counter;
        sched_yield();
        counter = before + 1;
        mutex.unlock();
      }
    });
  }
  threads.clear();
  EXPECT(counter == 180);
}

void errors_are_told() {
  Word word = 5;
  EXPECT(futex(word, FUTEX_WAIT, 4) == -1 && errno == EAGAIN);
  const timespec five_milliseconds{0, 5000000};
  EXPECT(futex(word, FUTEX_WAIT, 5, &five_milliseconds) == -1 && errno == ETIMEDOUT);
  timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  EXPECT(futex(word, FUTEX_WAIT_BITSET, 5, &deadline, nullptr, FUTEX_BITSET_MATCH_ANY) == -1 && errno == ETIMEDOUT);
  EXPECT(futex(word, FUTEX_WAKE, INT_MAX) == 0);
  EXPECT(futex(word, FUTEX_WAIT_BITSET, 5, nullptr, nullptr, 0) == -1 && errno == EINVAL);
}

void bitsets_choose_whom_to_wake() {
  Word word = 0;
  std::atomic<bool> odd_may_leave = false;
  std::atomic<bool> even_may_leave = false;
  const auto wait_with = [&](std::uint32_t bits, std::atomic<bool>& may_leave) {
    EXPECT(futex(word, FUTEX_WAIT_BITSET, 0, nullptr, nullptr, bits) == 0);
    EXPECT(may_leave);
  };
  std::jthread odd([&] { wait_with(1, odd_may_leave); });
  std::jthread even([&] { wait_with(2, even_may_leave); });
  even_may_leave = true;
  while (futex(word, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, 2) == 0) sched_yield();
  odd_may_leave = true;
  while (futex(word, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, 1) == 0) sched_yield();
}

void waiters_are_requeued() {
  Word from = 0;
  Word to = 0;
  std::atomic<int> left = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      EXPECT(futex(from, FUTEX_WAIT, 0) == 0);
      ++left;
    });
  }
  EXPECT(requeue(from, 0, INT_MAX, to, 1) == -1 && errno == EAGAIN);
  for (long moved = 0; moved < 3;) {
    const long more = requeue(from, 0, INT_MAX, to, 0);
    EXPECT(more >= 0);
    moved += more;
    sched_yield();
  }
  EXPECT(left == 0);
  EXPECT(futex(from, FUTEX_WAKE, INT_MAX) == 0);
  EXPECT(futex(to, FUTEX_WAKE, 1) == 1);
  EXPECT(futex(to, FUTEX_WAKE, INT_MAX) == 2);
  threads.clear();
  EXPECT(left == 3);
}

}  // namespace

int main() {
  a_mutex_made_of_it_excludes();
  errors_are_told();
  bitsets_choose_whom_to_wake();
  waiters_are_requeued();
  return finish();
}
