// abort() in a worker reaches a SIGABRT handler on that thread; the handler ends the program well.
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "expect.h"

namespace {

pthread_t aborting;

void on_abort(int) {
  EXPECT(pthread_equal(aborting, pthread_self()));
  EXPECT(write(STDOUT_FILENO, "ok\n", 3) == 3);
  _exit(0);
}

}  // namespace

int main() {
  std::signal(SIGABRT, on_abort);
  std::thread([] {
    aborting = pthread_self();
    std::abort();
  }).join();
  return 1;
}
