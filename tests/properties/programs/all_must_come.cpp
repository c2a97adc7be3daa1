// Every worker adds one to a counter, without a lock. The check at the end fails when an update is lost, and just as
// well when a worker is missing. Bystanders count for themselves.
//
// usage: all_must_come WORKERS BYSTANDERS
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

int come = 0;

void work() { come = come + 1; }

void stand_by(int& own) {
  for (int i = 0; i < 3; ++i) own = own + 1;
}

}  // namespace

int main(int, char** arguments) {
  const int workers = std::atoi(arguments[1]);
  std::vector<int> seen(static_cast<std::size_t>(std::atoi(arguments[2])));
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) threads.emplace_back(work);
  for (int& own : seen) threads.emplace_back(stand_by, std::ref(own));
  for (std::thread& thread : threads) thread.join();
  assert(come == workers);
}
