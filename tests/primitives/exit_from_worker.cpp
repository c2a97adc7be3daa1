// exit() from a worker, while main waits and another thread is blocked: atexit handlers and static
// destructors run, in reverse order. The exit code turns from 3 to 0 only in the last of them, so a
// missing one shows.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "expect.h"

namespace {

sem_t never_posted;

struct Witness {
  std::string seen;
  ~Witness() {
    EXPECT(seen == "tba");
    finish();
    fflush(stdout);
    _exit(0);
  }
};

Witness witness;

struct OfThread {
  ~OfThread() { witness.seen += 't'; }
};

void exit_with_thread_local() {
  thread_local OfThread of_thread;
  (void)&of_thread;
  std::exit(3);
}

}  // namespace

int main() {
  sem_init(&never_posted, 0, 0);
  std::atexit([] { witness.seen += 'a'; });
  std::atexit([] { witness.seen += 'b'; });
  std::thread blocked([] { sem_wait(&never_posted); });
  std::thread exiting(exit_with_thread_local);
  exiting.join();
  blocked.join();
  return 4;
}
