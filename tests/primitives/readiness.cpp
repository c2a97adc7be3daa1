// Waiting for readiness: poll, select, epoll and eventfd, with the other end moved by another
// thread.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

struct Pipe {
  int ends[2];
  Pipe() { EXPECT(pipe(ends) == 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  void put() const { EXPECT(write(ends[1], "x", 1) == 1); }
  void take() const {
    char byte;
    EXPECT(read(ends[0], &byte, 1) == 1);
  }
};

void poll_tells_which() {
  Pipe pipes[2];
  Pipe answer;
  std::jthread other([&] {
    for (int i = 0; i < 10; ++i) {
      pipes[i % 2].put();
      answer.take();
    }
  });
  for (int i = 0; i < 10; ++i) {
    pollfd waited[] = {{pipes[0].ends[0], POLLIN, 0}, {pipes[1].ends[0], POLLIN, 0}};
    EXPECT(poll(waited, 2, -1) == 1);
    EXPECT(waited[i % 2].revents == POLLIN);
    EXPECT(waited[1 - i % 2].revents == 0);
    pipes[i % 2].take();
    answer.put();
  }
}

void select_tells_which() {
  Pipe pipes[2];
  Pipe answer;
  std::jthread other([&] {
    for (int i = 0; i < 10; ++i) {
      pipes[i % 2].put();
      answer.take();
    }
  });
  for (int i = 0; i < 10; ++i) {
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(pipes[0].ends[0], &readable);
    FD_SET(pipes[1].ends[0], &readable);
    EXPECT(select(pipes[1].ends[1] + 1, &readable, nullptr, nullptr, nullptr) == 1);
    EXPECT(FD_ISSET(pipes[i % 2].ends[0], &readable));
    EXPECT(!FD_ISSET(pipes[1 - i % 2].ends[0], &readable));
    pipes[i % 2].take();
    answer.put();
  }
}

void epoll_tells_which() {
  Pipe pipes[3];
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  for (std::uint32_t i = 0; i < 3; ++i) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u32 = i;
    EXPECT(epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[i].ends[0], &event) == 0);
  }
  std::vector<std::jthread> writers;
  for (const Pipe& pipe : pipes) {
    writers.emplace_back([&pipe] {
      for (int i = 0; i < 5; ++i) pipe.put();
    });
  }
  int taken[3] = {};
  for (int total = 0; total < 15;) {
    epoll_event events[3];
    const int ready = epoll_wait(epoll, events, 3, -1);
    EXPECT(ready >= 1);
    for (int i = 0; i < ready; ++i) {
      EXPECT(events[i].events == EPOLLIN);
      pipes[events[i].data.u32].take();
      ++taken[events[i].data.u32];
      ++total;
    }
  }
  for (int count : taken) EXPECT(count == 5);
  close(epoll);
}

void eventfds_count() {
  const int counter = eventfd(0, 0);
  std::jthread other([&] {
    for (std::uint64_t i = 1; i <= 10; ++i) EXPECT(eventfd_write(counter, i) == 0);
  });
  for (std::uint64_t total = 0; total < 55;) {
    eventfd_t value = 0;
    EXPECT(eventfd_read(counter, &value) == 0);
    EXPECT(value > 0);
    total += value;
    EXPECT(total <= 55);
  }
  other.join();
  close(counter);

  const int tokens = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK);
  EXPECT(eventfd_write(tokens, 2) == 0);
  eventfd_t value;
  EXPECT(eventfd_read(tokens, &value) == 0 && value == 1);
  EXPECT(eventfd_read(tokens, &value) == 0 && value == 1);
  EXPECT(eventfd_read(tokens, &value) == -1 && errno == EAGAIN);
  close(tokens);
}

void a_timer_becomes_readable() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec once{{0, 0}, {0, 2000000}};
  EXPECT(timerfd_settime(timer, 0, &once, nullptr) == 0);
  pollfd waited{timer, POLLIN, 0};
  EXPECT(poll(&waited, 1, -1) == 1);
  std::uint64_t expirations = 0;
  EXPECT(read(timer, &expirations, sizeof expirations) == sizeof expirations);
  EXPECT(expirations == 1);
  close(timer);
}

void closing_hangs_up() {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  std::jthread other([&] { close(ends[1]); });
  pollfd waited{ends[0], POLLIN, 0};
  EXPECT(poll(&waited, 1, -1) == 1);
  EXPECT((waited.revents & POLLHUP) != 0);
  close(ends[0]);
}

}  // namespace

int main() {
  poll_tells_which();
  select_tells_which();
  epoll_tells_which();
  eventfds_count();
  a_timer_becomes_readable();
  closing_hangs_up();
  return finish();
}
