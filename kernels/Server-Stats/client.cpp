// A plain client for the server of this folder. Exit code 1: no server, or one that ends too early.
//
// usage: client PORT [connections] [requests per connection]
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

int connect_to(unsigned short port) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) give_up("connect");
  return connection;
}

void send_line(int connection, const std::string& line) {
  const std::string bytes = line + "\n";
  if (send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size())) give_up("send");
}

std::string receive_lines(int connection, std::size_t lines) {
  std::string received;
  while (static_cast<std::size_t>(std::count(received.begin(), received.end(), '\n')) < lines) {
    char bytes[256];
    const ssize_t count = recv(connection, bytes, sizeof bytes, 0);
    if (count <= 0) give_up("recv");
    received.append(bytes, static_cast<std::size_t>(count));
  }
  return received;
}

// Sends requests over several connections that are open at the same time, requests the statistics,
// which it returns, and ends the server.
std::string drive(unsigned short port, std::size_t connection_count, std::size_t requests) {
  std::vector<int> connections;
  for (std::size_t i = 0; i < connection_count; ++i) connections.push_back(connect_to(port));
  // All connections send before any waits for a reply, so the server has the requests at the same time.
  for (std::size_t i = 0; i < requests; ++i) {
    for (int connection : connections) send_line(connection, "ADD " + std::to_string(i + 1));
  }
  // Finishes the connections in sequence: there may be fewer workers than connections.
  for (int connection : connections) {
    receive_lines(connection, requests);
    close(connection);
  }

  const int last = connect_to(port);
  send_line(last, "STATS");
  const std::string statistics = receive_lines(last, 1);
  send_line(last, "QUIT");
  receive_lines(last, 1);
  close(last);
  return statistics;
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: client PORT [connections] [requests per connection]\n", stderr);
    return 2;
  }
  const auto port = static_cast<unsigned short>(argument(argc, argv, 1, 0));
  std::fputs(drive(port, argument(argc, argv, 2, 3), argument(argc, argv, 3, 4)).c_str(), stdout);
  return 0;
}
