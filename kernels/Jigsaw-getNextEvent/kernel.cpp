// Jigsaw-getNextEvent. The event manager keeps timed events in a synchronized vector: every call
// holds the vector's lock. get_next_event waits until the vector is not empty, gets the first event
// and removes it: three calls, which are correct only if a single thread makes them. With a second
// thread, the first event can be removed after the vector was found not empty, and the call that
// gets it throws; or both get the same event and remove two. Source: EventManager of W3C
// Jigsaw 2.2.6 (PECAN Figure 7). Repair: one critical section around the three calls.
//
// usage: kernel [handlers] [events]
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct Event {
  std::size_t number;
  unsigned long due;  // in ticks
  std::string data;
};

// Like java.util.Vector: every function is one critical section.
class EventVector {
 public:
  // Inserts the event in the order of the due times.
  void insert(Event event) {
    std::lock_guard guard(mutex_);
    auto position = events_.begin();
    while (position != events_.end() && position->due <= event.due) ++position;
    events_.insert(position, std::move(event));
  }

  std::size_t size() const {
    std::lock_guard guard(mutex_);
    return events_.size();
  }

  Event element_at(std::size_t index) const {
    std::lock_guard guard(mutex_);
    return events_.at(index);
  }

  void remove_element_at(std::size_t index) {
    std::lock_guard guard(mutex_);
    if (index >= events_.size()) throw std::out_of_range("EventVector::remove_element_at");
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(index));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Event> events_;
};

class EventManager {
 public:
  void register_timer(Event event) {
    queue_.insert(std::move(event));
    std::lock_guard guard(mutex_);
    changed_.notify_all();
  }

  void close() {
    std::lock_guard guard(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // Returns no event if the manager is closed and empty.
  std::optional<Event> get_next_event() {
    {
      std::unique_lock guard(mutex_);
      changed_.wait(guard, [&] { return queue_.size() > 0 || closed_; });
      if (queue_.size() == 0) return std::nullopt;
    }
    Event event = queue_.element_at(0);
    queue_.remove_element_at(0);
    return event;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  EventVector queue_;
  bool closed_ = false;
};

void handle_events(EventManager& manager, std::vector<std::atomic<unsigned>>& handled) {
  while (std::optional<Event> event = manager.get_next_event()) {
    assert(event->data == "timer " + std::to_string(event->number));
    const unsigned before = handled[event->number]++;
    assert(before == 0);
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t handlers = argument(argc, argv, 1, 2);
  const std::size_t events = argument(argc, argv, 2, 2);

  EventManager manager;
  std::vector<std::atomic<unsigned>> handled(events);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < handlers; ++i) threads.emplace_back([&] { handle_events(manager, handled); });
  for (std::size_t i = 0; i < events; ++i) manager.register_timer({i, 100 + i, "timer " + std::to_string(i)});
  manager.close();
  for (std::thread& thread : threads) thread.join();

  for (const std::atomic<unsigned>& count : handled) assert(count == 1);
  std::puts("all events handled");
  return 0;
}
