// Cache4j-race. A cleaner thread removes expired objects from the caches and then sleeps. A thread
// that sets a new interval interrupts the cleaner if it sleeps. The setter reads the flag under a
// lock, the cleaner writes it without: between waking up and clearing the flag the cleaner is awake
// and appears asleep. An interruption sent then hits the next round of cleaning, which does not
// expect it. Source: CacheCleaner of cache4j (BTrigger Table 1, cache4j race1 to race3; PECAN
// Table 1). Repair: the cleaner clears the flag, and an interruption it no longer needs, under the
// lock.
//
// usage: kernel [administrators] [settings per administrator] [objects per cache]
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// The part of a Java thread that implements interruptions.
class Interruption {
 public:
  void interrupt() {
    std::lock_guard guard(mutex_);
    pending_ = true;
    changed_.notify_all();
  }

  void stop() {
    std::lock_guard guard(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  bool stopped() {
    std::lock_guard guard(mutex_);
    return stopped_;
  }

  // Sleeps until interrupted or stopped; the intervals of a cache are hours.
  void sleep() {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [this] { return pending_ || stopped_; });
    throw_if_pending();
  }

  // The first step of every blocking call of an interruptible channel.
  void check() {
    std::lock_guard guard(mutex_);
    throw_if_pending();
  }

 private:
  void throw_if_pending() {
    if (!pending_) return;
    pending_ = false;
    throw Interrupted();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool pending_ = false;
  bool stopped_ = false;
};

class Cache {
 public:
  void put(std::size_t id, const std::string& value, std::size_t time_to_live) {
    std::lock_guard guard(mutex_);
    objects_[id] = {value, time_to_live};
  }

  // Writes expired objects to the store, which is an interruptible channel.
  void clean(Interruption& interruption) {
    std::lock_guard guard(mutex_);
    interruption.check();
    std::erase_if(objects_, [](const auto& object) { return object.second.time_to_live == 0; });
    for (auto& [id, object] : objects_) --object.time_to_live;
  }

  std::size_t size() {
    std::lock_guard guard(mutex_);
    return objects_.size();
  }

 private:
  struct CacheObject {
    std::string value;
    std::size_t time_to_live;  // in rounds of cleaning
  };

  std::mutex mutex_;
  std::map<std::size_t, CacheObject> objects_;
};

class CacheCleaner {
 public:
  explicit CacheCleaner(std::vector<Cache>& caches) : caches_(caches) {}

  void set_clean_interval(std::size_t hours) {
    std::lock_guard guard(mutex_);
    interval_hours_ = hours;
    if (sleeping_) interruption_.interrupt();
  }

  void run() {
    while (!interruption_.stopped()) {
      for (Cache& cache : caches_) cache.clean(interruption_);
      sleeping_ = true;
      try {
        interruption_.sleep();
      } catch (const Interrupted&) {
        ++early_rounds_;
      }
      sleeping_ = false;
    }
  }

  void stop() { interruption_.stop(); }
  std::size_t early_rounds() const { return early_rounds_; }

 private:
  std::vector<Cache>& caches_;
  std::mutex mutex_;
  Interruption interruption_;
  bool sleeping_ = false;
  std::size_t interval_hours_ = 1;
  std::size_t early_rounds_ = 0;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t administrators = argument(argc, argv, 1, 1);
  const std::size_t settings = argument(argc, argv, 2, 2);
  const std::size_t objects = argument(argc, argv, 3, 4);

  std::vector<Cache> caches(1);
  for (Cache& cache : caches) {
    for (std::size_t i = 0; i < objects; ++i) cache.put(i, "object " + std::to_string(i), i);
  }
  CacheCleaner cleaner(caches);
  std::thread cleaner_thread([&cleaner] { cleaner.run(); });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < administrators; ++i) {
    threads.emplace_back([&cleaner, settings] {
      for (std::size_t hours = 1; hours <= settings; ++hours) cleaner.set_clean_interval(hours);
    });
  }
  for (std::thread& thread : threads) thread.join();
  cleaner.stop();
  cleaner_thread.join();

  assert(cleaner.early_rounds() <= administrators * settings);
  for (Cache& cache : caches) assert(cache.size() <= objects);
  std::puts("caches clean");
  return 0;
}
