// Every way to sleep sleeps at least as long as asked, by the monotonic clock. With
// --expect-virtual each sleep is of ten seconds, which under control take no real time; otherwise
// of ten milliseconds.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <threads.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <thread>

#include "expect.h"

namespace {

using Nanoseconds = long long;

constexpr Nanoseconds kSecond = 1000000000;

Nanoseconds now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time;
  EXPECT(clock_gettime(clock, &time) == 0);
  return time.tv_sec * kSecond + time.tv_nsec;
}

timespec as_timespec(Nanoseconds time) {
  return {static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
}

template <class Sleep>
void takes(Nanoseconds duration, Sleep sleep_once) {
  const Nanoseconds begin = now();
  sleep_once();
  EXPECT(now() - begin >= duration);
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_virtual = argc > 1 && std::strcmp(argv[1], "--expect-virtual") == 0;
  const Nanoseconds duration = is_virtual ? 10 * kSecond : kSecond / 100;
  const timespec as_spec = as_timespec(duration);
  const int milliseconds = static_cast<int>(duration / 1000000);

  takes(duration, [&] { EXPECT(nanosleep(&as_spec, nullptr) == 0); });
  takes(duration, [&] { EXPECT(clock_nanosleep(CLOCK_MONOTONIC, 0, &as_spec, nullptr) == 0); });
  takes(duration, [&] { EXPECT(clock_nanosleep(CLOCK_REALTIME, 0, &as_spec, nullptr) == 0); });
  for (clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME}) {
    const timespec deadline = as_timespec(now(clock) + duration);
    EXPECT(clock_nanosleep(clock, TIMER_ABSTIME, &deadline, nullptr) == 0);
    EXPECT(now(clock) >= deadline.tv_sec * kSecond + deadline.tv_nsec);
  }
  takes(duration, [&] {
    for (Nanoseconds slept = 0; slept < duration; slept += kSecond / 200) EXPECT(usleep(5000) == 0);
  });
  takes(duration, [&] { std::this_thread::sleep_for(std::chrono::nanoseconds(duration)); });
  takes(duration,
        [&] { std::this_thread::sleep_until(std::chrono::steady_clock::now() + std::chrono::nanoseconds(duration)); });
  takes(duration, [&] { EXPECT(thrd_sleep(&as_spec, nullptr) == 0); });
  if (is_virtual) takes(duration, [&] { EXPECT(sleep(10) == 0); });

  int unwritten[2];
  EXPECT(pipe(unwritten) == 0);
  takes(duration, [&] { EXPECT(poll(nullptr, 0, milliseconds) == 0); });
  takes(duration, [&] {
    pollfd waited{unwritten[0], POLLIN, 0};
    EXPECT(poll(&waited, 1, milliseconds) == 0);
  });
  takes(duration, [&] { EXPECT(ppoll(nullptr, 0, &as_spec, nullptr) == 0); });
  takes(duration, [&] {
    timeval timeout{as_spec.tv_sec, as_spec.tv_nsec / 1000};
    EXPECT(select(0, nullptr, nullptr, nullptr, &timeout) == 0);
  });
  takes(duration, [&] {
    fd_set waited;
    FD_ZERO(&waited);
    FD_SET(unwritten[0], &waited);
    EXPECT(pselect(unwritten[0] + 1, &waited, nullptr, nullptr, &as_spec, nullptr) == 0);
    EXPECT(!FD_ISSET(unwritten[0], &waited));
  });
  takes(duration, [&] {
    const int epoll = epoll_create1(0);
    epoll_event event{EPOLLIN, {}};
    EXPECT(epoll_ctl(epoll, EPOLL_CTL_ADD, unwritten[0], &event) == 0);
    EXPECT(epoll_wait(epoll, &event, 1, milliseconds) == 0);
    close(epoll);
  });
  return finish();
}
