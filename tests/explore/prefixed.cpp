// A long prefix that one thread makes alone, and then two threads that meet. What the program holds at that time
// decides whether a copy of it can stand for a run from the start.
//
// usage: prefixed plain|pipe|child|written|read [FILE] [steps]
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

namespace {

long sum = 0;
long* volatile target = &sum;  // an access that the optimiser keeps, and a second thread shares

void meet() {
  std::mutex mutex;
  const auto add = [&mutex] {
    const std::lock_guard guard(mutex);
    *target += 1;
  };
  std::thread first(add), second(add);
  first.join();
  second.join();
}

std::string read_some(int descriptor, std::size_t size) {
  std::string text(size, '\0');
  const ssize_t count = ::read(descriptor, text.data(), size);
  assert(count >= 0);
  text.resize(static_cast<std::size_t>(count));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  assert(argc == 4);
  const std::string holds = argv[1];
  const long steps = std::strtol(argv[3], nullptr, 10);

  int ends[2] = {-1, -1};
  int file = -1;
  pid_t child = -1;
  if (holds == "pipe") {
    assert(::pipe(ends) == 0 && ::write(ends[1], "x", 1) == 1);
  } else if (holds == "child") {
    child = ::fork();
    if (child == 0) {
      for (;;) ::pause();
    }
  } else if (holds == "written") {
    file = ::open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert(file >= 0 && ::write(file, "one\n", 4) == 4);
  } else if (holds == "read") {
    file = ::open(argv[2], O_RDONLY);
    assert(file >= 0 && read_some(file, 4) == "one\n");
  }

  for (long i = 0; i < steps; ++i) *target += 1;
  meet();
  assert(sum == steps + 2);

  if (holds == "pipe") assert(read_some(ends[0], 2) == "x");
  if (holds == "written") assert(::write(file, "two\n", 4) == 4);
  if (holds == "read") assert(read_some(file, 100) == "two\n");
  if (child > 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  return 0;
}
