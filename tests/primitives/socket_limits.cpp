// Sockets at their limits: time-outs of their own, messages larger than any buffer, a full backlog, a full receiver.
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

// A name that the kernel chooses: programs that run side by side do not meet.
sockaddr_un bind_somewhere(int socket_fd) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  EXPECT(bind(socket_fd, reinterpret_cast<sockaddr*>(&address), sizeof(sa_family_t)) == 0);
  socklen_t size = sizeof address;
  EXPECT(getsockname(socket_fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return address;
}

// Family, a zero byte and five digits.
constexpr socklen_t kNameSize = sizeof(sa_family_t) + 6;

const sockaddr* generic(const sockaddr_un& address) { return reinterpret_cast<const sockaddr*>(&address); }

void a_receive_times_out() {
  int ends[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const timeval timeout{0, 30000};
  EXPECT(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) == 0);
  const auto begin = std::chrono::steady_clock::now();
  char byte;
  EXPECT(recv(ends[0], &byte, 1, 0) == -1 && errno == EAGAIN);
  EXPECT(read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
  EXPECT(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(55));
  close(ends[0]);
  close(ends[1]);
}

void large_messages_go_in_pieces() {
  constexpr std::size_t kSize = 3'000'000;
  int ends[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  std::vector<char> data(kSize);
  for (std::size_t i = 0; i < kSize; ++i) data[i] = static_cast<char>(i * 13);
  std::jthread sender([&] {
    const iovec pieces[] = {
        {data.data(), 1'000'000}, {data.data() + 1'000'000, 1'500'000}, {data.data() + 2'500'000, 500'000}};
    EXPECT(writev(ends[0], pieces, 3) == kSize);
    EXPECT(send(ends[0], data.data(), kSize, 0) == kSize);
    close(ends[0]);
  });
  std::vector<char> received(kSize);
  EXPECT(recv(ends[1], received.data(), kSize, MSG_WAITALL) == kSize);
  EXPECT(received == data);
  std::size_t total = 0;
  ssize_t count;
  while ((count = read(ends[1], received.data() + total, kSize - total)) > 0) total += static_cast<std::size_t>(count);
  EXPECT(total == kSize && received == data);
  close(ends[1]);
}

void a_full_backlog_blocks_connect() {
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  const sockaddr_un address = bind_somewhere(listener);
  EXPECT(listen(listener, 1) == 0);
  std::vector<std::jthread> clients;
  for (int i = 0; i < 6; ++i) {
    clients.emplace_back([&] {
      const int client = socket(AF_UNIX, SOCK_STREAM, 0);
      EXPECT(connect(client, generic(address), kNameSize) == 0);
      char byte;
      EXPECT(read(client, &byte, 1) == 1);
      close(client);
    });
  }
  for (int i = 0; i < 6; ++i) {
    const int connection = accept(listener, nullptr, nullptr);
    EXPECT(connection >= 0);
    EXPECT(write(connection, "x", 1) == 1);
    close(connection);
  }
  clients.clear();
  close(listener);
}

void a_full_receiver_blocks_senders() {
  const int receiver = socket(AF_UNIX, SOCK_DGRAM, 0);
  const sockaddr_un address = bind_somewhere(receiver);
  std::jthread sending([&] {
    const int sender = socket(AF_UNIX, SOCK_DGRAM, 0);
    for (int i = 0; i < 200; ++i) EXPECT(sendto(sender, &i, sizeof i, 0, generic(address), kNameSize) == sizeof i);
    close(sender);
  });
  for (int i = 0; i < 200; ++i) {
    int number = -1;
    EXPECT(recv(receiver, &number, sizeof number, 0) == sizeof number);
    EXPECT(number == i);
  }
  sending.join();
  close(receiver);
}

}  // namespace

int main() {
  a_receive_times_out();
  large_messages_go_in_pieces();
  a_full_backlog_blocks_connect();
  a_full_receiver_blocks_senders();
  return finish();
}
