// One lost update, and a failure for each kind of outcome; the first argument selects it. With GATE=on both threads
// read before either writes, so that the update is lost natively, too.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

int counter;
std::mutex first, second;
std::atomic<bool> never;

std::atomic<int> arrived;
bool gate;

void add() {
  const int before = counter;
  if (gate) {
    for (++arrived; arrived != 2;) {
    }
  }
  counter = before + 1;
}

void serve(bool lost) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address);
  listen(listener, 1);
  const int connection = accept(listener, nullptr, nullptr);
  const std::string answer = lost ? "lost\n" : "kept\n";
  if (write(connection, answer.data(), answer.size()) < 0) return;
  close(connection);
  close(listener);
}

int main(int, char** arguments) {
  const std::string way = arguments[1];
  gate = std::getenv("GATE") != nullptr;
  std::thread bystander([] { std::lock_guard held(second); });  // shrinking leaves it out
  bystander.join();
  std::thread other(add);
  add();
  other.join();
  const bool lost = counter != 2;
  if (way == "print") std::puts(lost ? "lost" : "kept");
  if (way == "serve") serve(lost);
  if (!lost) return 0;
  if (way == "signal") *static_cast<volatile int*>(nullptr) = 1;
  if (way == "exit") return 7;
  if (way == "assert") assert(!lost);
  if (way == "deadlock") {
    std::lock_guard held(first);
    std::thread blocked([] { std::lock_guard waits(first); });
    blocked.join();
  }
  if (way == "spin") {
    std::thread idle([] {
      while (!never) {
      }
    });
    while (!never) {
    }
    idle.join();
  }
}
