// Pipes between two threads: reading an empty one and writing a full one block; vectors of buffers;
// end of file; EPIPE.
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

struct Pipe {
  int read_end;
  int write_end;

  Pipe() {
    int ends[2];
    EXPECT(pipe(ends) == 0);
    read_end = ends[0];
    write_end = ends[1];
  }
};

void bytes_go_back_and_forth() {
  Pipe there;
  Pipe back;
  std::jthread echo([&] {
    char byte;
    while (read(there.read_end, &byte, 1) == 1) {
      ++byte;
      EXPECT(write(back.write_end, &byte, 1) == 1);
    }
    close(back.write_end);
  });
  for (char sent = 0; sent < 40; ++sent) {
    EXPECT(write(there.write_end, &sent, 1) == 1);
    char received = 0;
    EXPECT(read(back.read_end, &received, 1) == 1);
    EXPECT(received == sent + 1);
  }
  close(there.write_end);
  char byte;
  EXPECT(read(back.read_end, &byte, 1) == 0);
}

void a_full_pipe_blocks_its_writer() {
  Pipe pipe;
  EXPECT(fcntl(pipe.write_end, F_SETPIPE_SZ, 4096) >= 4096);
  constexpr std::size_t kBytes = 200000;
  std::jthread writer([&] {
    std::vector<unsigned char> data(kBytes);
    for (std::size_t i = 0; i < kBytes; ++i) data[i] = static_cast<unsigned char>(i * 7);
    EXPECT(write(pipe.write_end, data.data(), kBytes) == static_cast<ssize_t>(kBytes));
    close(pipe.write_end);
  });
  std::size_t total = 0;
  unsigned char buffer[3000];
  ssize_t count;
  while ((count = read(pipe.read_end, buffer, sizeof buffer)) > 0) {
    for (ssize_t i = 0; i < count; ++i) EXPECT(buffer[i] == static_cast<unsigned char>((total + i) * 7));
    total += static_cast<std::size_t>(count);
  }
  EXPECT(count == 0);
  EXPECT(total == kBytes);
}

void vectors_of_buffers_are_gathered_and_scattered() {
  Pipe pipe;
  std::jthread writer([&] {
    char first[] = "warp";
    char second[] = "weft";
    const iovec parts[] = {{first, 4}, {second, 4}};
    EXPECT(writev(pipe.write_end, parts, 2) == 8);
  });
  char head[3];
  char tail[5];
  const iovec parts[] = {{head, 3}, {tail, 5}};
  EXPECT(readv(pipe.read_end, parts, 2) == 8);
  EXPECT(std::string(head, 3) == "war");
  EXPECT(std::string(tail, 5) == "pweft");
}

void nonblocking_ends_do_not_block() {
  Pipe pipe;
  EXPECT(fcntl(pipe.read_end, F_SETFL, O_NONBLOCK) == 0);
  char byte;
  EXPECT(read(pipe.read_end, &byte, 1) == -1 && errno == EAGAIN);
}

void writing_to_nobody_is_an_error() {
  Pipe pipe;
  close(pipe.read_end);
  char byte = 0;
  EXPECT(write(pipe.write_end, &byte, 1) == -1 && errno == EPIPE);
}

}  // namespace

int main() {
  std::signal(SIGPIPE, SIG_IGN);
  bytes_go_back_and_forth();
  a_full_pipe_blocks_its_writer();
  vectors_of_buffers_are_gathered_and_scattered();
  nonblocking_ends_do_not_block();
  writing_to_nobody_is_an_error();
  return finish();
}
