// Two threads add to one total without a lock. Each also writes a journal of its own, which no code reads, and counts
// itself, which the assertion checks.
#include <cassert>
#include <thread>
#include <vector>

namespace {

int total = 0;
int present = 0;
std::vector<int> journals[2];

[[gnu::noinline]] void write_journal(std::vector<int>& journal) {
  for (int i = 0; i < 20; ++i) journal.push_back(i);
}

[[gnu::noinline]] void come(int who) {
  if (who == 0) ++present;
}

[[gnu::noinline]] void add() {
  const int before = total;
  total = before + 1;
}

void work(int who) {
  write_journal(journals[who]);
  come(who);
  add();
  write_journal(journals[who]);
}

}  // namespace

int main() {
  std::thread first([] { work(0); });
  std::thread second([] { work(1); });
  first.join();
  second.join();
  assert(total == 2 && present == 1);
}
