// Ten small programs, each with a race between its workers and a check at its end that fails when the race shows, and
// just as well whenever a worker is missing. No thread depends on bystanders.
//
// usage: none_may_miss WHICH WORKERS BYSTANDERS
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Shared {
  int workers = 0;
  std::mutex mutex;
  int count = 0;
  int highest = -1;
  unsigned bits = 0;
  std::atomic<int> tickets{0};
  std::vector<int> slots;
  std::string text;
  int sum = 0;
};

void add_one(Shared& shared) {
  const int old = shared.count;
  shared.count = old + 1;
}

void read_and_write_in_two_sections(Shared& shared) {
  int old = 0;
  {
    const std::lock_guard guard(shared.mutex);
    old = shared.count;
  }
  const std::lock_guard guard(shared.mutex);
  shared.count = old + 1;
}

void work(int which, Shared& shared, int number) {
  switch (which) {
    case 0:
      return add_one(shared);
    case 1:
      return read_and_write_in_two_sections(shared);
    case 2:  // a set of the workers that were here
      shared.bits = shared.bits | 1u << number;
      return;
    case 3:  // a sum
      shared.sum = shared.sum + number + 1;
      return;
    case 4: {  // a ticket that two can draw
      const int ticket = shared.tickets.load();
      shared.tickets.store(ticket + 1);
      return;
    }
    case 5: {  // a slot that two can take
      int slot = 0;
      while (shared.slots[static_cast<std::size_t>(slot)] != 0) ++slot;
      shared.slots[static_cast<std::size_t>(slot)] = number + 1;
      return;
    }
    case 6: {  // a text that grows by one letter each time, copied outside of the lock
      std::string longer;
      {
        const std::lock_guard guard(shared.mutex);
        longer = shared.text + 'x';
      }
      const std::lock_guard guard(shared.mutex);
      shared.text = longer;
      return;
    }
    case 7:  // from both ends
      shared.sum = shared.sum + 1;
      shared.count = shared.count + 1;
      return;
    case 8: {  // twice each
      for (int i = 0; i < 2; ++i) add_one(shared);
      return;
    }
    default:  // counts down
      shared.sum = shared.sum - 1;
  }
}

void check(int which, const Shared& shared) {
  const int workers = shared.workers;
  switch (which) {
    case 2:
      assert(shared.bits == (1u << workers) - 1);
      break;
    case 3:
      assert(shared.sum == workers * (workers + 1) / 2);
      break;
    case 4:
      assert(shared.tickets == workers);
      break;
    case 5:
      for (int i = 0; i < workers; ++i) assert(shared.slots[static_cast<std::size_t>(i)] != 0);
      break;
    case 6:
      assert(shared.text.size() == static_cast<std::size_t>(workers));
      break;
    case 7:
      assert(shared.sum + shared.count == 2 * workers);
      break;
    case 8:
      assert(shared.count == 2 * workers);
      break;
    case 9:
      assert(shared.sum == -workers);
      break;
    default:
      assert(shared.count == workers);
  }
}

void stand_by(int& own) {
  for (int i = 0; i < 3; ++i) own = own + 1;
}

}  // namespace

int main(int, char** arguments) {
  const int which = std::atoi(arguments[1]);
  Shared shared;
  shared.workers = std::atoi(arguments[2]);
  shared.slots.resize(static_cast<std::size_t>(shared.workers) + 1);
  std::vector<int> seen(static_cast<std::size_t>(std::atoi(arguments[3])));
  std::vector<std::thread> threads;
  for (int i = 0; i < shared.workers; ++i) threads.emplace_back(work, which, std::ref(shared), i);
  for (int& own : seen) threads.emplace_back(stand_by, std::ref(own));
  for (std::thread& thread : threads) thread.join();
  check(which, shared);
}
