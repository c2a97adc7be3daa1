// A copy of the execution obeys the same session: the thread that the session disables is started in neither.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

extern "C" __attribute__((weak)) int heddle_checkpoint();

int main() {
  if (heddle_checkpoint == nullptr) return 0;
  const int copy = heddle_checkpoint();
  bool started = false;
  std::thread([&] { started = true; }).join();
  if (copy == 0) _exit(started ? 3 : 0);
  int status = -1;
  if (waitpid(copy, &status, 0) != copy) return 4;
  return started ? 5 : WEXITSTATUS(status);
}
