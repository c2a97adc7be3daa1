// std::atomic and std::atomic_flag waiting and notification.
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

template <class Value>
void two_threads_take_turns() {
  std::atomic<Value> turn = 0;
  std::jthread other([&] {
    for (int i = 0; i < 20; ++i) {
      turn.wait(0);
      EXPECT(turn == 1);
      turn = 0;
      turn.notify_one();
    }
  });
  for (int i = 0; i < 20; ++i) {
    turn = 1;
    turn.notify_one();
    turn.wait(1);
    EXPECT(turn == 0);
  }
}

void notify_all_wakes_all() {
  std::atomic<int> gate = 0;
  std::atomic<int> passed = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      gate.wait(0);
      ++passed;
      passed.notify_one();
    });
  }
  gate = 1;
  gate.notify_all();
  for (int seen; (seen = passed) < 4;) passed.wait(seen);
  EXPECT(passed == 4);
}

void flags_wait_too() {
  std::atomic_flag flag;
  std::jthread other([&] {
    flag.wait(false);
    EXPECT(flag.test());
    flag.clear();
    flag.notify_one();
  });
  flag.test_and_set();
  flag.notify_all();
  flag.wait(true);
  EXPECT(!flag.test());
}

void a_different_value_does_not_wait() {
  std::atomic<int> value = 3;
  value.wait(4);
  EXPECT(value == 3);
}

void pointers_are_published() {
  std::atomic<const std::vector<int>*> published = nullptr;
  std::jthread reader([&] {
    published.wait(nullptr);
    EXPECT(published.load()->size() == 3);
  });
  const auto numbers = std::make_unique<const std::vector<int>>(std::vector<int>{1, 2, 3});
  published = numbers.get();
  published.notify_all();
  reader.join();
}

}  // namespace

int main() {
  two_threads_take_turns<int>();
  two_threads_take_turns<std::uint8_t>();
  two_threads_take_turns<std::uint64_t>();
  notify_all_wakes_all();
  flags_wait_too();
  a_different_value_does_not_wait();
  pointers_are_published();
  return finish();
}
