// C++20 latch, barrier with completion and dropping out, counting and binary semaphores.
#include <atomic>
#include <barrier>
#include <chrono>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

using namespace std::chrono_literals;

void a_latch_opens_once_all_have_come() {
  constexpr int kThreads = 4;
  std::latch all_ready(kThreads);
  std::latch go(1);
  std::atomic<int> ready = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      ++ready;
      all_ready.arrive_and_wait();
      EXPECT(ready == kThreads);
      go.wait();
      EXPECT(go.try_wait());
    });
  }
  all_ready.wait();
  EXPECT(ready == kThreads);
  go.count_down();
}

void a_barrier_completes_between_phases() {
  constexpr int kThreads = 3;
  constexpr int kPhases = 12;
  int completions = 0;
  std::atomic<int> arrived = 0;
  std::barrier barrier(kThreads, [&]() noexcept {
    EXPECT(arrived == kThreads * (completions + 1));
    ++completions;
  });
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int phase = 0; phase < kPhases; ++phase) {
        ++arrived;
        barrier.arrive_and_wait();
        EXPECT(completions == phase + 1);
      }
    });
  }
  threads.clear();
  EXPECT(completions == kPhases);
}

void those_who_drop_out_are_not_waited_for() {
  constexpr int kThreads = 4;
  std::atomic<int> phases = 0;
  std::barrier barrier(kThreads, [&]() noexcept { ++phases; });
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int phase = 0; phase < i; ++phase) barrier.arrive_and_wait();
      barrier.arrive_and_drop();
    });
  }
  threads.clear();
  EXPECT(phases == kThreads);
}

void semaphores_bound_who_is_inside() {
  std::counting_semaphore<8> places(2);
  std::atomic<int> inside = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 25; ++round) {
        if (round % 5 == 0) {
          while (!places.try_acquire_for(1s)) {
          }
        } else {
          places.acquire();
        }
        EXPECT(++inside <= 2);
        std::this_thread::yield();
        --inside;
        places.release();
      }
    });
  }
  threads.clear();
  EXPECT(places.try_acquire() && places.try_acquire() && !places.try_acquire());
  EXPECT(!places.try_acquire_for(2ms));
  EXPECT(!places.try_acquire_until(std::chrono::steady_clock::now() + 2ms));
}

void binary_semaphores_take_turns() {
  std::binary_semaphore ping(0);
  std::binary_semaphore pong(0);
  int counter = 0;
  std::jthread other([&] {
    for (int i = 0; i < 30; ++i) {
      ping.acquire();
      ++counter;
      pong.release();
    }
  });
  for (int i = 0; i < 30; ++i) {
    ping.release();
    pong.acquire();
    EXPECT(counter == i + 1);
  }
}

}  // namespace

int main() {
  a_latch_opens_once_all_have_come();
  a_barrier_completes_between_phases();
  those_who_drop_out_are_not_waited_for();
  semaphores_bound_who_is_inside();
  binary_semaphores_take_turns();
  return finish();
}
