// 1,000 appends to one shared std::string under a mutex, from four threads.
#include <algorithm>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

int main() {
  constexpr int kThreads = 4;
  constexpr int kAppends = 250;
  std::string text;
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const char letter = static_cast<char>('a' + i);
      for (int round = 0; round < kAppends; ++round) {
        std::lock_guard guard(mutex);
        if (round % 2 == 0) {
          text += letter;
        } else {
          text.append(1, letter);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(text.size() == kThreads * kAppends);
  for (int i = 0; i < kThreads; ++i) EXPECT(std::count(text.begin(), text.end(), 'a' + i) == kAppends);
  return finish();
}
