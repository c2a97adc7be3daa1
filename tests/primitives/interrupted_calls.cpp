// A signal with a handler ends a wait for a descriptor, or the wait continues if the handler has SA_RESTART; poll never
// continues. A mask that holds for one call only.
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>

#include "expect.h"

namespace {

std::atomic<int> handled;

void install(int signal, int flags) {
  struct sigaction action{};
  action.sa_handler = [](int) { ++handled; };
  action.sa_flags = flags;
  EXPECT(sigaction(signal, &action, nullptr) == 0);
}

void a_read_is_interrupted(int read_end) {
  std::atomic<bool> over = false;
  std::jthread sender([&, reader = pthread_self()] {
    while (!over) {
      pthread_kill(reader, SIGUSR1);
      std::this_thread::yield();
    }
  });
  char byte;
  EXPECT(read(read_end, &byte, 1) == -1 && errno == EINTR);
  over = true;
}

void a_read_is_restarted(int read_end, int write_end) {
  std::jthread sender([=, reader = pthread_self()] {
    const int before = handled;
    pthread_kill(reader, SIGUSR2);
    while (handled == before) std::this_thread::yield();
    EXPECT(write(write_end, "x", 1) == 1);
  });
  char byte;
  EXPECT(read(read_end, &byte, 1) == 1);
}

void a_poll_is_never_restarted(int read_end) {
  std::atomic<bool> over = false;
  std::jthread sender([&, poller = pthread_self()] {
    while (!over) {
      pthread_kill(poller, SIGUSR2);
      std::this_thread::yield();
    }
  });
  pollfd waited{read_end, POLLIN, 0};
  EXPECT(poll(&waited, 1, -1) == -1 && errno == EINTR);
  over = true;
}

void a_mask_holds_for_one_call(int read_end) {
  sigset_t usr1, nothing;
  sigemptyset(&nothing);
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
  const int before = handled;
  raise(SIGUSR1);
  EXPECT(handled == before);
  const timespec timeout{10, 0};
  pollfd waited{read_end, POLLIN, 0};
  EXPECT(ppoll(&waited, 1, &timeout, &nothing) == -1 && errno == EINTR);
  EXPECT(handled == before + 1);
  pthread_sigmask(SIG_UNBLOCK, &usr1, nullptr);
}

}  // namespace

int main() {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  install(SIGUSR1, 0);
  install(SIGUSR2, SA_RESTART);
  a_read_is_interrupted(ends[0]);
  a_read_is_restarted(ends[0], ends[1]);
  a_poll_is_never_restarted(ends[0]);
  a_mask_holds_for_one_call(ends[0]);
  return finish();
}
