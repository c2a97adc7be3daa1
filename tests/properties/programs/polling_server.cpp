// polling_server PORT poll|select|epoll: reads from three connections until they are closed and has two threads count
// the bytes, one of the two counts without a lock. How the bytes arrive is a matter of real time.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kConnections = 3;

std::mutex queue_mutex;
std::condition_variable queue_filled;
std::deque<long> queue;
bool ending = false;

std::mutex total_mutex;
long total = 0;
long counted = 0;  // the bug: without the lock

void count_bytes() {
  for (;;) {
    std::unique_lock lock(queue_mutex);
    queue_filled.wait(lock, [] { return ending || !queue.empty(); });
    if (queue.empty()) return;
    const long bytes = queue.front();
    queue.pop_front();
    lock.unlock();
    const long before = counted;
    counted = before + bytes;
    const std::lock_guard guard(total_mutex);
    total += bytes;
  }
}

int listen_at(int port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<unsigned short>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(listener, 8) != 0)
    std::exit(2);
  return listener;
}

std::vector<int> ready_by_poll(const std::vector<int>& open) {
  std::vector<pollfd> polled;
  for (const int descriptor : open) polled.push_back({descriptor, POLLIN, 0});
  poll(polled.data(), polled.size(), 1000);
  std::vector<int> ready;
  for (const pollfd& entry : polled)
    if (entry.revents != 0) ready.push_back(entry.fd);
  return ready;
}

std::vector<int> ready_by_select(const std::vector<int>& open) {
  fd_set readable;
  FD_ZERO(&readable);
  int last = 0;
  for (const int descriptor : open) {
    FD_SET(descriptor, &readable);
    last = std::max(last, descriptor);
  }
  select(last + 1, &readable, nullptr, nullptr, nullptr);
  std::vector<int> ready;
  for (const int descriptor : open)
    if (FD_ISSET(descriptor, &readable)) ready.push_back(descriptor);
  return ready;
}

class Poller {
 public:
  void add(int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.fd = descriptor;
    epoll_ctl(poller_, EPOLL_CTL_ADD, descriptor, &event);
  }
  std::vector<int> ready() {
    epoll_event events[2];
    const int count = epoll_wait(poller_, events, 2, -1);
    std::vector<int> ready;
    for (int i = 0; i < count; ++i) ready.push_back(events[i].data.fd);
    return ready;
  }

 private:
  int poller_ = epoll_create1(0);
};

}  // namespace

int main(int, char** arguments) {
  const std::string way = arguments[2];
  const int listener = listen_at(std::atoi(arguments[1]));
  std::thread first(count_bytes), second(count_bytes);
  Poller poller;
  std::vector<int> open{listener};
  poller.add(listener);
  for (int closed = 0; closed < kConnections;) {
    const std::vector<int> ready = way == "poll"     ? ready_by_poll(open)
                                   : way == "select" ? ready_by_select(open)
                                                     : poller.ready();
    for (const int descriptor : ready) {
      if (descriptor == listener) {
        // Edge-triggered, a second connection is not reported.
        for (int accepted; (accepted = accept(listener, nullptr, nullptr)) >= 0;) {
          open.push_back(accepted);
          poller.add(accepted);
        }
        continue;
      }
      // All that is there, since an edge is reported once.
      char bytes[4];
      long count;
      while ((count = recv(descriptor, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
        const std::lock_guard guard(queue_mutex);
        queue.push_back(count);
        queue_filled.notify_one();
      }
      if (count < 0) continue;
      close(descriptor);
      std::erase(open, descriptor);
      ++closed;
    }
  }
  {
    const std::lock_guard guard(queue_mutex);
    ending = true;
  }
  queue_filled.notify_all();
  first.join();
  second.join();
  assert(counted == total);
}
