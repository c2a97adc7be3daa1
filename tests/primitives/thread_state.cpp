// What else belongs to a thread and must survive a switch: the rounding mode, the floating-point
// exception flags, errno.
#include <sched.h>

#include <cerrno>
#include <cfenv>
#include <mutex>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

std::mutex mutex;
int shared_steps;

void step() {
  std::lock_guard guard(mutex);
  ++shared_steps;
  sched_yield();
}

void rounding_modes_are_kept() {
  const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  std::vector<std::thread> threads;
  for (int mode : modes) {
    threads.emplace_back([mode] {
      EXPECT(std::fesetround(mode) == 0);
      for (int i = 0; i < 20; ++i) {
        step();
        EXPECT(std::fegetround() == mode);
        volatile double one = 1;
        volatile double three = 3;
        volatile double third = one / three;  // SSE
        EXPECT((mode == FE_UPWARD) == (third > 0.33333333333333331));
        volatile long double long_one = 1;
        volatile long double long_three = 3;
        const long double down = long_one / long_three;  // x87
        EXPECT((mode == FE_DOWNWARD || mode == FE_TOWARDZERO) == (down * 3 < 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(std::fegetround() == FE_TONEAREST);
}

void exception_flags_are_kept() {
  std::feclearexcept(FE_ALL_EXCEPT);
  std::thread other([] {
    std::feclearexcept(FE_ALL_EXCEPT);
    for (int i = 0; i < 20; ++i) {
      step();
      EXPECT(std::fetestexcept(FE_DIVBYZERO) == 0);
    }
  });
  volatile double zero = 0;
  volatile double infinite = 1 / zero;
  (void)infinite;
  for (int i = 0; i < 20; ++i) {
    step();
    EXPECT(std::fetestexcept(FE_DIVBYZERO) != 0);
  }
  other.join();
}

void errno_is_kept() {
  std::vector<std::thread> threads;
  for (int value : {11, 22, 33}) {
    threads.emplace_back([value] {
      for (int i = 0; i < 20; ++i) {
        errno = value;
        step();
        EXPECT(errno == value);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main() {
  rounding_modes_are_kept();
  exception_flags_are_kept();
  errno_is_kept();
  return finish();
}
