// StringBuf. append(other) reads the other buffer's length and then copies that many characters
// from it. Each of the two calls takes the other buffer's lock, but the lock is released in
// between: a set_length then makes the length stale, and get_chars throws. Source:
// java.lang.StringBuffer of JDK 1.4 (PECAN Table 1, BTrigger Figure 3: lines 444, 449 and 239
// there). Repair: append holds the other buffer's lock over both calls.
//
// usage: kernel [appenders] [rounds]
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

namespace {

// Every public function is one critical section; the lock is re-entrant, like a Java monitor.
class StringBuffer {
 public:
  explicit StringBuffer(std::size_t capacity) : value_(new char[capacity]), capacity_(capacity) {}

  std::size_t length() const {
    std::lock_guard guard(mutex_);
    return count_;
  }

  void set_length(std::size_t length) {
    std::lock_guard guard(mutex_);
    ensure_capacity(length);
    if (length > count_) std::memset(value_.get() + count_, 0, length - count_);
    count_ = length;
  }

  void get_chars(std::size_t begin, std::size_t end, char* target) const {
    std::lock_guard guard(mutex_);
    if (begin > end || end > count_) throw std::out_of_range("StringBuffer::get_chars: index out of range");
    std::copy(value_.get() + begin, value_.get() + end, target);
  }

  void append(std::string_view text) {
    std::lock_guard guard(mutex_);
    ensure_capacity(count_ + text.size());
    std::copy(text.begin(), text.end(), value_.get() + count_);
    count_ += text.size();
  }

  void append(const StringBuffer& other) {
    std::lock_guard guard(mutex_);
    const std::size_t other_length = other.length();
    ensure_capacity(count_ + other_length);
    other.get_chars(0, other_length, value_.get() + count_);
    count_ += other_length;
  }

  std::size_t occurrences(char wanted) const {
    std::lock_guard guard(mutex_);
    return static_cast<std::size_t>(std::count(value_.get(), value_.get() + count_, wanted));
  }

 private:
  void ensure_capacity(std::size_t minimum) {
    if (minimum <= capacity_) return;
    const std::size_t capacity = std::max(minimum, 2 * capacity_ + 2);
    std::unique_ptr<char[]> value(new char[capacity]);
    std::copy(value_.get(), value_.get() + count_, value.get());
    value_ = std::move(value);
    capacity_ = capacity;
  }

  mutable std::recursive_mutex mutex_;
  std::unique_ptr<char[]> value_;
  std::size_t capacity_;
  std::size_t count_ = 0;
};

constexpr std::string_view kLine = "GET /index.html\n";

// Repeatedly adds a line to the shared buffer and flushes it.
void fill_and_flush(StringBuffer& shared, std::size_t rounds) {
  for (std::size_t i = 0; i < rounds; ++i) {
    shared.append(kLine);
    shared.set_length(0);
  }
}

// Collects the current content of the shared buffer: zero or more whole lines.
void collect(StringBuffer& collected, const StringBuffer& shared, std::size_t rounds) {
  for (std::size_t i = 0; i < rounds; ++i) collected.append(shared);
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t appenders = argument(argc, argv, 1, 1);
  const std::size_t rounds = argument(argc, argv, 2, 3);

  StringBuffer shared(2 * kLine.size());
  shared.append(kLine);
  std::vector<std::unique_ptr<StringBuffer>> collections;
  for (std::size_t i = 0; i < appenders; ++i)
    collections.push_back(std::make_unique<StringBuffer>(rounds * kLine.size()));

  std::vector<std::thread> threads;
  threads.emplace_back([&] { fill_and_flush(shared, rounds); });
  for (auto& collection : collections) {
    threads.emplace_back([&shared, &collection, rounds] { collect(*collection, shared, rounds); });
  }
  for (std::thread& thread : threads) thread.join();

  for (const auto& collection : collections) {
    assert(collection->length() % kLine.size() == 0);
    assert(collection->occurrences('\n') == collection->length() / kLine.size());
  }
  std::puts("all lines whole");
  return 0;
}
