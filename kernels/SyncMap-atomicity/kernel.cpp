// SyncMap-atomicity. equals(other) of a synchronizedMap reads the size of the other map and then its
// values, one by one; each read is a critical section of the other map, the whole comparison is
// not. If the other map changes between two reads, equals can return true although the other
// map never was in that state. Source: Collections.synchronizedMap backed by a LinkedHashMap
// (BTrigger Table 1, synchronizedMap atomicity1: no exception, a wrong answer). Repair: equals
// holds the other map's lock over all reads.
//
// usage: kernel [monitors] [fail-overs]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

enum class Role { Standby, Primary };

// Every function is one critical section; the lock is re-entrant, like a Java monitor.
class SynchronizedMap {
 public:
  void put(const std::string& server, Role role) {
    std::lock_guard guard(mutex_);
    entries_[server] = role;
  }

  std::size_t size() const {
    std::lock_guard guard(mutex_);
    return entries_.size();
  }

  bool has(const std::string& server, Role role) const {
    std::lock_guard guard(mutex_);
    const auto found = entries_.find(server);
    return found != entries_.end() && found->second == role;
  }

  bool equals(const SynchronizedMap& other) const {
    std::lock_guard guard(mutex_);
    if (entries_.size() != other.size()) return false;
    for (const auto& [server, role] : entries_) {
      if (!other.has(server, role)) return false;
    }
    return true;
  }

 private:
  mutable std::recursive_mutex mutex_;
  std::map<std::string, Role> entries_;
};

const std::string kLeft = "server left";
const std::string kRight = "server right";

// The roles of two servers, at most one of which is the primary. A fail-over first removes the role from one server and
// then assigns it to the other.
class Cluster {
 public:
  Cluster() {
    roles_.put(kLeft, Role::Primary);
    roles_.put(kRight, Role::Standby);
  }

  void fail_over(std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) {
      const auto& [from, to] = i % 2 == 0 ? std::pair(kLeft, kRight) : std::pair(kRight, kLeft);
      roles_.put(from, Role::Standby);
      roles_.put(to, Role::Primary);
    }
  }

  const SynchronizedMap& roles() const { return roles_; }

 private:
  SynchronizedMap roles_;
};

// Raises the alarm if the cluster appears to have two primaries, which must never happen.
class Monitor {
 public:
  explicit Monitor(const Cluster& cluster) : cluster_(cluster) {
    split_brain_.put(kLeft, Role::Primary);
    split_brain_.put(kRight, Role::Primary);
  }

  void watch(std::size_t times) const {
    for (std::size_t i = 0; i < times; ++i) assert(!split_brain_.equals(cluster_.roles()));
  }

 private:
  const Cluster& cluster_;
  SynchronizedMap split_brain_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t monitors = argument(argc, argv, 1, 1);
  const std::size_t fail_overs = argument(argc, argv, 2, 1);

  Cluster cluster;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < monitors; ++i) {
    threads.emplace_back([&cluster, fail_overs] { Monitor(cluster).watch(fail_overs); });
  }
  threads.emplace_back([&cluster, fail_overs] { cluster.fail_over(fail_overs); });
  for (std::thread& thread : threads) thread.join();

  assert(cluster.roles().size() == 2);
  std::puts("one primary at a time");
  return 0;
}
