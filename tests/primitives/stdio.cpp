// Streams that block or lock inside libc: fgets on a pipe, std::cin fed by another thread,
// flockfile against printf.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

constexpr int kLines = 20;

void write_lines(int fd) {
  for (int i = 0; i < kLines; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    // In two pieces, so that the reader meets half a line.
    EXPECT(write(fd, line.data(), 3) == 3);
    EXPECT(write(fd, line.data() + 3, line.size() - 3) == static_cast<ssize_t>(line.size() - 3));
  }
  close(fd);
}

void fgets_reads_a_pipe() {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  std::jthread writer(write_lines, ends[1]);
  FILE* stream = fdopen(ends[0], "r");
  char line[64];
  for (int i = 0; i < kLines; ++i) {
    EXPECT(fgets(line, sizeof line, stream) != nullptr);
    EXPECT("line " + std::to_string(i) + "\n" == line);
  }
  EXPECT(fgets(line, sizeof line, stream) == nullptr);
  fclose(stream);
}

void cin_reads_what_another_thread_writes() {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  EXPECT(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
  close(ends[0]);
  std::jthread writer(write_lines, ends[1]);
  std::string line;
  for (int i = 0; i < kLines; ++i) {
    EXPECT(std::getline(std::cin, line));
    EXPECT(line == "line " + std::to_string(i));
  }
  EXPECT(!std::getline(std::cin, line));
}

void a_locked_stream_keeps_lines_whole() {
  FILE* stream = tmpfile();
  EXPECT(stream != nullptr);
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    for (int i = 0; i < kLines; ++i) {
      flockfile(stream);
      fprintf(stream, "loc");
      std::this_thread::yield();
      for (char c : {'k', 'e', 'd', '\n'}) putc_unlocked(c, stream);
      funlockfile(stream);
    }
  });
  for (int writer = 0; writer < 2; ++writer) {
    threads.emplace_back([&] {
      for (int i = 0; i < kLines; ++i) fprintf(stream, "plain\n");
    });
  }
  threads.clear();
  rewind(stream);
  int locked = 0;
  int plain = 0;
  char line[64];
  while (fgets(line, sizeof line, stream) != nullptr) {
    if (std::strcmp(line, "locked\n") == 0) ++locked;
    if (std::strcmp(line, "plain\n") == 0) ++plain;
  }
  EXPECT(locked == kLines);
  EXPECT(plain == 2 * kLines);
  fclose(stream);
}

void a_stream_tries_its_lock() {
  FILE* stream = tmpfile();
  flockfile(stream);
  EXPECT(ftrylockfile(stream) == 0);  // re-entrant
  funlockfile(stream);
  std::thread([&] { EXPECT(ftrylockfile(stream) != 0); }).join();
  funlockfile(stream);
  fclose(stream);
}

}  // namespace

int main() {
  fgets_reads_a_pipe();
  cin_reads_what_another_thread_writes();
  a_locked_stream_keeps_lines_whole();
  a_stream_tries_its_lock();
  return finish();
}
