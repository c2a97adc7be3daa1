// Sockets between two threads: a pair with messages and a passed descriptor, TCP and UDP over
// loopback.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>

#include "expect.h"

namespace {

void a_pair_echoes() {
  int ends[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  std::jthread echo([&] {
    char buffer[16];
    ssize_t count;
    while ((count = recv(ends[1], buffer, sizeof buffer, 0)) > 0) {
      EXPECT(send(ends[1], buffer, static_cast<std::size_t>(count), 0) == count);
    }
  });
  for (int i = 0; i < 20; ++i) {
    const std::string sent = "pick " + std::to_string(i);
    EXPECT(send(ends[0], sent.data(), sent.size(), 0) == static_cast<ssize_t>(sent.size()));
    char buffer[16];
    EXPECT(recv(ends[0], buffer, sent.size(), MSG_WAITALL) == static_cast<ssize_t>(sent.size()));
    EXPECT(sent == std::string(buffer, sent.size()));
  }
  EXPECT(shutdown(ends[0], SHUT_WR) == 0);
  echo.join();
  close(ends[0]);
  close(ends[1]);
}

// Room for one descriptor, aligned as its header is.
union ControlBuffer {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

void a_message_carries_a_descriptor() {
  int ends[2];
  int pipe_ends[2];
  EXPECT(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
  EXPECT(pipe(pipe_ends) == 0);
  std::jthread sender([&] {
    char text[] = "take this";
    iovec part{text, sizeof text};
    ControlBuffer control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &pipe_ends[1], sizeof(int));
    EXPECT(sendmsg(ends[0], &message, 0) == sizeof text);
  });
  char text[32];
  iovec part{text, sizeof text};
  ControlBuffer control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  EXPECT(recvmsg(ends[1], &message, 0) == sizeof "take this");
  EXPECT(std::strcmp(text, "take this") == 0);
  int passed;
  std::memcpy(&passed, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof passed);
  EXPECT(write(passed, "x", 1) == 1);
  char byte;
  EXPECT(read(pipe_ends[0], &byte, 1) == 1 && byte == 'x');
}

sockaddr_in bind_to_loopback(int socket_fd) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT(bind(socket_fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  socklen_t length = sizeof address;
  EXPECT(getsockname(socket_fd, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  return address;
}

void tcp_connects_two_threads() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = bind_to_loopback(listener);
  EXPECT(listen(listener, 4) == 0);
  std::jthread server([&] {
    for (int i = 0; i < 5; ++i) {
      const int connection =
          i % 2 == 0 ? accept(listener, nullptr, nullptr) : accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      EXPECT(connection >= 0);
      int number;
      EXPECT(recv(connection, &number, sizeof number, MSG_WAITALL) == sizeof number);
      number *= 3;
      EXPECT(send(connection, &number, sizeof number, 0) == sizeof number);
      close(connection);
    }
  });
  for (int i = 0; i < 5; ++i) {
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT(connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    EXPECT(send(connection, &i, sizeof i, 0) == sizeof i);
    int answer;
    EXPECT(recv(connection, &answer, sizeof answer, MSG_WAITALL) == sizeof answer);
    EXPECT(answer == 3 * i);
    EXPECT(recv(connection, &answer, sizeof answer, 0) == 0);
    close(connection);
  }
  server.join();
  close(listener);
}

void datagrams_keep_their_bounds() {
  const int receiver = socket(AF_INET, SOCK_DGRAM, 0);
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in address = bind_to_loopback(receiver);
  const sockaddr_in from = bind_to_loopback(sender);
  std::jthread sending([&] {
    for (std::size_t size = 1; size <= 5; ++size) {
      EXPECT(sendto(sender, "abcde", size, 0, reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
             static_cast<ssize_t>(size));
    }
  });
  for (ssize_t size = 1; size <= 5; ++size) {
    char buffer[16];
    sockaddr_in source{};
    socklen_t length = sizeof source;
    EXPECT(recvfrom(receiver, buffer, sizeof buffer, 0, reinterpret_cast<sockaddr*>(&source), &length) == size);
    EXPECT(source.sin_port == from.sin_port);
  }
  sending.join();
  close(receiver);
  close(sender);
}

}  // namespace

int main() {
  a_pair_echoes();
  a_message_carries_a_descriptor();
  tcp_connects_two_threads();
  datagrams_keep_their_bounds();
  return finish();
}
