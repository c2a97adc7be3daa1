// Clocks never run backwards, in any thread and by any function, and those of one time
// agree.
#include <sys/time.h>

#include <chrono>
#include <ctime>
#include <semaphore>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

using Nanoseconds = long long;

constexpr Nanoseconds kSecond = 1000000000;

template <clockid_t kClock>
Nanoseconds by_clock_gettime() {
  timespec time;
  EXPECT(clock_gettime(kClock, &time) == 0);
  EXPECT(time.tv_nsec >= 0 && time.tv_nsec < kSecond);
  return time.tv_sec * kSecond + time.tv_nsec;
}

Nanoseconds by_gettimeofday() {
  timeval time;
  EXPECT(gettimeofday(&time, nullptr) == 0);
  return time.tv_sec * kSecond + time.tv_usec * 1000;
}

Nanoseconds by_time() {
  time_t stored;
  const time_t returned = time(&stored);
  EXPECT(stored == returned);
  return returned * kSecond;
}

Nanoseconds by_timespec_get() {
  timespec time;
  EXPECT(timespec_get(&time, TIME_UTC) == TIME_UTC);
  return time.tv_sec * kSecond + time.tv_nsec;
}

Nanoseconds by_clock() { return static_cast<Nanoseconds>(clock()) * (kSecond / CLOCKS_PER_SEC); }

Nanoseconds by_steady_clock() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

Nanoseconds by_system_clock() {
  return std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

using Read = Nanoseconds (*)();

constexpr Read kReads[] = {by_clock_gettime<CLOCK_REALTIME>,
                           by_clock_gettime<CLOCK_MONOTONIC>,
                           by_clock_gettime<CLOCK_MONOTONIC_RAW>,
                           by_clock_gettime<CLOCK_MONOTONIC_COARSE>,
                           by_clock_gettime<CLOCK_BOOTTIME>,
                           by_clock_gettime<CLOCK_PROCESS_CPUTIME_ID>,
                           by_gettimeofday,
                           by_time,
                           by_timespec_get,
                           by_clock,
                           by_steady_clock,
                           by_system_clock};

void two_threads_read_in_turn(Read read) {
  std::binary_semaphore ping(0);
  std::binary_semaphore pong(0);
  Nanoseconds last = read();
  const auto read_next = [&] {
    const Nanoseconds time = read();
    EXPECT(time >= last);
    last = time;
  };
  std::jthread other([&] {
    for (int i = 0; i < 10; ++i) {
      ping.acquire();
      read_next();
      pong.release();
    }
  });
  for (int i = 0; i < 10; ++i) {
    read_next();
    ping.release();
    pong.acquire();
  }
}

// Coarse functions may lag behind fine ones by their granularity.
void functions_of_real_time_agree() {
  constexpr Nanoseconds kTolerance = 2 * kSecond;
  const Nanoseconds reference = by_clock_gettime<CLOCK_REALTIME>();
  for (Read read : {by_gettimeofday, by_time, by_timespec_get, by_system_clock}) {
    const Nanoseconds difference = read() - reference;
    EXPECT(difference > -kTolerance && difference < kTolerance);
  }
}

void waiting_for_time_to_pass_ends() {
  const Nanoseconds begin = by_clock_gettime<CLOCK_MONOTONIC>();
  while (by_clock_gettime<CLOCK_MONOTONIC>() - begin < 100000) {
  }
}

}  // namespace

int main() {
  for (Read read : kReads) two_threads_read_in_turn(read);
  functions_of_real_time_agree();
  waiting_for_time_to_pass_ends();
  timespec resolution;
  EXPECT(clock_getres(CLOCK_MONOTONIC, &resolution) == 0);
  return finish();
}
