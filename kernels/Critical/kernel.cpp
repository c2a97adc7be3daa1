// Critical. Two threads share a journal, and a variable says which of them has the turn. Both take
// the turn by writing the variable: the first never waits, and the second waits only until it reads
// the value that it has just written. The second therefore enters while the first is inside; the
// first detects on leaving that it has lost the turn, or that its entry is overwritten.
// Source: Critical of the IBM ConTest benchmark (PECAN Table 1: one variable, sixteen races).
// Repair: a lock instead of the turn.
//
// usage: kernel [entries per thread]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kFirst = 0;
constexpr int kSecond = 1;

// The data of the critical section: entries, and how many are filled.
class Journal {
 public:
  explicit Journal(std::size_t capacity) : entries_(capacity) {}

  void append(const std::string& entry) {
    const std::size_t position = filled_;
    entries_[position] = entry;
    filled_ = position + 1;
  }

  std::size_t filled() const { return filled_; }

  std::size_t entries_of(const std::string& author) const {
    std::size_t count = 0;
    for (const std::string& entry : entries_) {
      if (entry.starts_with(author)) ++count;
    }
    return count;
  }

 private:
  std::vector<std::string> entries_;
  std::size_t filled_ = 0;
};

struct Critical {
  explicit Critical(std::size_t capacity) : journal(capacity) {}

  int turn = kFirst;
  Journal journal;
};

void first_section(Critical& critical, std::size_t entries) {
  for (std::size_t i = 0; i < entries; ++i) {
    const std::string entry = "first " + std::to_string(i);
    critical.turn = kFirst;
    critical.journal.append(entry);
    assert(critical.turn == kFirst);
    critical.turn = kSecond;
  }
}

void second_section(Critical& critical, std::size_t entries) {
  for (std::size_t i = 0; i < entries; ++i) {
    const std::string entry = "second " + std::to_string(i);
    critical.turn = kSecond;
    while (critical.turn != kSecond) std::this_thread::yield();
    critical.journal.append(entry);
    critical.turn = kFirst;
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t entries = argument(argc, argv, 1, 1);

  Critical critical(2 * entries);
  std::thread first([&] { first_section(critical, entries); });
  std::thread second([&] { second_section(critical, entries); });
  first.join();
  second.join();

  assert(critical.journal.filled() == 2 * entries);
  assert(critical.journal.entries_of("first") == entries);
  assert(critical.journal.entries_of("second") == entries);
  std::puts("all entries in");
  return 0;
}
