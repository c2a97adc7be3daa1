// Signal handlers: they run on the thread they are sent to, interrupt a blocking call or resume it,
// and may have a stack of their own; pause, sigsuspend, raise, alarms.
#include <pthread.h>
#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

std::atomic<int> handled;
std::atomic<pthread_t> handled_on;
std::atomic<std::uintptr_t> handled_at;

void handle(int) {
  char local = 0;
  handled_on = pthread_self();
  handled_at = reinterpret_cast<std::uintptr_t>(&local);
  ++handled;
}

void install(int signal, int flags) {
  handled = 0;
  struct sigaction action{};
  action.sa_handler = handle;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  EXPECT(sigaction(signal, &action, nullptr) == 0);
}

// A thread cannot be seen to block; it is signalled until it has noticed.
template <class Noticed>
void signal_until(pthread_t thread, Noticed noticed) {
  while (!noticed()) {
    EXPECT(pthread_kill(thread, SIGUSR1) == 0);
    sched_yield();
  }
}

void raise_runs_the_handler_here() {
  install(SIGUSR1, 0);
  EXPECT(raise(SIGUSR1) == 0);
  EXPECT(handled == 1);
  EXPECT(pthread_equal(handled_on, pthread_self()));
}

void the_handler_runs_on_the_target() {
  install(SIGUSR1, 0);
  std::atomic<bool> stop = false;
  std::thread target([&] {
    while (!stop) sched_yield();
  });
  EXPECT(pthread_kill(target.native_handle(), SIGUSR1) == 0);
  while (handled == 0) sched_yield();
  EXPECT(handled == 1);
  EXPECT(pthread_equal(handled_on, target.native_handle()));
  stop = true;
  target.join();
}

void without_restart_read_and_sleep_are_interrupted() {
  install(SIGUSR1, 0);
  int never_written[2];
  EXPECT(pipe(never_written) == 0);
  std::atomic<bool> noticed = false;
  std::thread reader([&] {
    char byte;
    EXPECT(read(never_written[0], &byte, 1) == -1 && errno == EINTR);
    noticed = true;
    while (noticed) sched_yield();
  });
  signal_until(reader.native_handle(), [&] { return noticed.load(); });
  noticed = false;
  reader.join();

  std::thread sleeper([&] {
    const timespec long_time{1000, 0};
    timespec left{};
    while (nanosleep(&long_time, &left) == 0) {
    }
    EXPECT(errno == EINTR);
    EXPECT(left.tv_sec >= 0 && left.tv_sec <= 1000);
    noticed = true;
    while (noticed) sched_yield();
  });
  signal_until(sleeper.native_handle(), [&] { return noticed.load(); });
  noticed = false;
  sleeper.join();
}

void with_restart_read_goes_on() {
  install(SIGUSR1, SA_RESTART);
  int ends[2];
  EXPECT(pipe(ends) == 0);
  std::thread reader([&] {
    char byte = 0;
    EXPECT(read(ends[0], &byte, 1) == 1);
    EXPECT(byte == 'r');
  });
  signal_until(reader.native_handle(), [] { return handled > 0; });
  EXPECT(write(ends[1], "r", 1) == 1);
  reader.join();
}

void pause_ends_with_a_handler() {
  install(SIGUSR1, 0);
  std::atomic<bool> noticed = false;
  std::thread pausing([&] {
    EXPECT(pause() == -1 && errno == EINTR);
    noticed = true;
    while (noticed) sched_yield();
  });
  signal_until(pausing.native_handle(), [&] { return noticed.load(); });
  noticed = false;
  pausing.join();
}

void sigsuspend_swaps_the_mask_while_it_waits() {
  install(SIGUSR1, 0);
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  EXPECT(pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0);
  std::thread suspended([&] {
    EXPECT(sigsuspend(&before) == -1 && errno == EINTR);
    EXPECT(handled == 1);
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    EXPECT(sigismember(&now, SIGUSR1) == 1);
  });
  EXPECT(pthread_kill(suspended.native_handle(), SIGUSR1) == 0);
  suspended.join();
  EXPECT(pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
}

void each_thread_has_its_alternate_stack() {
  install(SIGUSR1, SA_ONSTACK);
  constexpr std::size_t kSize = 64 * 1024;
  for (int i = 0; i < 2; ++i) {
    std::thread([&] {
      std::vector<char> memory(kSize);
      stack_t stack{};
      stack.ss_sp = memory.data();
      stack.ss_size = kSize;
      EXPECT(sigaltstack(&stack, nullptr) == 0);
      sched_yield();
      EXPECT(raise(SIGUSR1) == 0);
      const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory.data());
      EXPECT(handled_at >= begin && handled_at < begin + kSize);
      stack_t installed{};
      EXPECT(sigaltstack(nullptr, &installed) == 0);
      EXPECT(installed.ss_sp == memory.data());
      stack.ss_flags = SS_DISABLE;
      EXPECT(sigaltstack(&stack, nullptr) == 0);
    }).join();
  }
  stack_t of_main{};
  EXPECT(sigaltstack(nullptr, &of_main) == 0);
  EXPECT(of_main.ss_flags == SS_DISABLE);
}

void timers_raise_alarms() {
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  EXPECT(pthread_sigmask(SIG_BLOCK, &alarms, nullptr) == 0);
  const itimerval once{{0, 0}, {0, 2000}};
  EXPECT(setitimer(ITIMER_REAL, &once, nullptr) == 0);
  int received = 0;
  EXPECT(sigwait(&alarms, &received) == 0);
  EXPECT(received == SIGALRM);
  EXPECT(alarm(100) == 0);
  EXPECT(alarm(0) > 0);
}

}  // namespace

int main() {
  raise_runs_the_handler_here();
  the_handler_runs_on_the_target();
  without_restart_read_and_sleep_are_interrupted();
  with_restart_read_goes_on();
  pause_ends_with_a_handler();
  sigsuspend_swaps_the_mask_while_it_waits();
  each_thread_has_its_alternate_stack();
  timers_raise_alarms();
  return finish();
}
