// Parent and child agree on their process numbers, and they work wherever a number is asked for.
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "expect.h"

namespace {

void parent_and_child_agree() {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    const pid_t seen[] = {getpid(), getppid()};
    if (write(ends[1], seen, sizeof seen) != sizeof seen) _exit(1);
    for (;;) pause();
  }
  pid_t seen[2];
  EXPECT(read(ends[0], seen, sizeof seen) == sizeof seen);
  EXPECT(seen[0] == child && seen[1] == parent);
  EXPECT(waitpid(child, nullptr, WNOHANG) == 0);
  EXPECT(getpgid(child) == getpgrp());
  EXPECT(kill(child, 0) == 0);
  EXPECT(kill(child, SIGTERM) == 0);
  int status;
  EXPECT(wait(&status) == child);
  EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  close(ends[0]);
  close(ends[1]);
}

void threads_have_numbers_of_their_own() {
  EXPECT(gettid() == getpid());
  EXPECT(syscall(SYS_gettid) == gettid());
  std::thread([main_thread = gettid()] {
    EXPECT(gettid() != main_thread);
    EXPECT(syscall(SYS_gettid) == gettid());
    EXPECT(tgkill(getpid(), main_thread, 0) == 0);
  }).join();
}

}  // namespace

int main() {
  parent_and_child_agree();
  threads_have_numbers_of_their_own();
  return finish();
}
