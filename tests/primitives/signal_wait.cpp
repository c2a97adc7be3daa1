// Signals that are waited for: sigwait and pthread_kill, sigwaitinfo, sigtimedwait, signalfd; masks
// per thread.
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <semaphore>
#include <thread>

#include "expect.h"

namespace {

sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

bool is_blocked(int signal) {
  sigset_t mask;
  EXPECT(pthread_sigmask(SIG_SETMASK, nullptr, &mask) == 0);
  return sigismember(&mask, signal) == 1;
}

// REQUIRES of all below: SIGUSR1 and SIGUSR2 are blocked.

void a_waiting_thread_is_woken_by_pthread_kill() {
  std::binary_semaphore answered(0);
  std::thread waiter([&] {
    const sigset_t set = only(SIGUSR1);
    for (int i = 0; i < 10; ++i) {
      int received = 0;
      EXPECT(sigwait(&set, &received) == 0);
      EXPECT(received == SIGUSR1);
      answered.release();
    }
  });
  for (int i = 0; i < 10; ++i) {
    EXPECT(pthread_kill(waiter.native_handle(), SIGUSR1) == 0);
    answered.acquire();
  }
  waiter.join();
}

void a_signal_to_one_thread_is_not_anothers() {
  std::binary_semaphore checked(0);
  std::thread target([&] {
    checked.acquire();
    sigset_t pending;
    EXPECT(sigpending(&pending) == 0);
    EXPECT(sigismember(&pending, SIGUSR2) == 1);
    const sigset_t set = only(SIGUSR2);
    EXPECT(sigwaitinfo(&set, nullptr) == SIGUSR2);
  });
  EXPECT(pthread_kill(target.native_handle(), SIGUSR2) == 0);
  sigset_t pending;
  EXPECT(sigpending(&pending) == 0);
  EXPECT(sigismember(&pending, SIGUSR2) == 0);
  checked.release();
  target.join();
}

void waiting_times_out() {
  const sigset_t set = only(SIGUSR1);
  const timespec five_milliseconds{0, 5000000};
  EXPECT(sigtimedwait(&set, nullptr, &five_milliseconds) == -1 && errno == EAGAIN);
  const timespec nothing{0, 0};
  EXPECT(sigtimedwait(&set, nullptr, &nothing) == -1 && errno == EAGAIN);
}

void a_queued_signal_carries_its_value() {
  std::thread waiter([] {
    const sigset_t set = only(SIGUSR1);
    siginfo_t info;
    EXPECT(sigwaitinfo(&set, &info) == SIGUSR1);
    EXPECT(info.si_code == SI_QUEUE);
    EXPECT(info.si_value.sival_int == 42);
  });
  sigval value;
  value.sival_int = 42;
  EXPECT(pthread_sigqueue(waiter.native_handle(), SIGUSR1, value) == 0);
  waiter.join();
}

void a_signal_to_the_process_wakes_a_waiter() {
  std::thread waiter([] {
    const sigset_t set = only(SIGUSR2);
    int received = 0;
    EXPECT(sigwait(&set, &received) == 0);
    EXPECT(received == SIGUSR2);
  });
  EXPECT(kill(getpid(), SIGUSR2) == 0);
  waiter.join();
}

void masks_belong_to_their_thread() {
  std::binary_semaphore changed(0);
  std::binary_semaphore checked(0);
  std::thread other([&] {
    EXPECT(is_blocked(SIGUSR1));  // inherited
    const sigset_t set = only(SIGUSR1);
    EXPECT(pthread_sigmask(SIG_UNBLOCK, &set, nullptr) == 0);
    const sigset_t term = only(SIGTERM);
    EXPECT(pthread_sigmask(SIG_BLOCK, &term, nullptr) == 0);
    changed.release();
    checked.acquire();
    EXPECT(!is_blocked(SIGUSR1));
    EXPECT(is_blocked(SIGTERM));
  });
  changed.acquire();
  EXPECT(is_blocked(SIGUSR1));
  EXPECT(!is_blocked(SIGTERM));
  checked.release();
  other.join();
}

void a_signalfd_is_read() {
  const sigset_t set = only(SIGUSR1);
  const int fd = signalfd(-1, &set, SFD_CLOEXEC);
  EXPECT(fd >= 0);
  const pthread_t reader = pthread_self();
  std::jthread sender([&] { EXPECT(pthread_kill(reader, SIGUSR1) == 0); });
  signalfd_siginfo info;
  EXPECT(read(fd, &info, sizeof info) == sizeof info);
  EXPECT(info.ssi_signo == SIGUSR1);
  close(fd);
}

}  // namespace

int main() {
  sigset_t set = only(SIGUSR1);
  sigaddset(&set, SIGUSR2);
  EXPECT(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
  a_waiting_thread_is_woken_by_pthread_kill();
  a_signal_to_one_thread_is_not_anothers();
  waiting_times_out();
  a_queued_signal_carries_its_value();
  a_signal_to_the_process_wakes_a_waiter();
  masks_belong_to_their_thread();
  a_signalfd_is_read();
  return finish();
}
