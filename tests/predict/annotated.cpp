// Two accounts with a lock each. A transfer is one thing, which only an annotation says; a hint that is written without
// a lock is meant to be.
#include <heddle/annotate.h>

#include <mutex>
#include <thread>

namespace {

struct Account {
  std::mutex mutex;
  long balance = 100;

  void add(long amount) {
    const std::lock_guard guard(mutex);
    balance += amount;
  }
};

Account from, to;
long last_amount = 0;  // read without a lock, for display
long unmarked = 0;

void transfer(long amount) {
  HEDDLE_ATOMIC("transfer");
  from.add(-amount);
  to.add(amount);
}

void run(long amount) {
  transfer(amount);
  HEDDLE_BENIGN("the last one wins");
  last_amount = amount;

  unmarked = amount;
}

}  // namespace

int main() {
  std::thread other([] { run(5); });
  run(7);
  other.join();
  return last_amount > 0 && unmarked > 0 ? 0 : 1;
}
