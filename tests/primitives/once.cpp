// One-time initialisation contended by several threads: pthread_once, std::call_once and static
// locals, also when the first attempts throw.
#include <pthread.h>
#include <sched.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

template <class Body>
void on_four_threads(Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(body);
  for (std::thread& thread : threads) thread.join();
}

pthread_once_t posix_once = PTHREAD_ONCE_INIT;
int posix_value;

void initialize_slowly() {
  const int before = posix_value;
  for (int i = 0; i < 5; ++i) sched_yield();
  posix_value = before + 1;
}

void posix_initialises_once() {
  on_four_threads([] {
    for (int i = 0; i < 5; ++i) {
      EXPECT(pthread_once(&posix_once, initialize_slowly) == 0);
      EXPECT(posix_value == 1);
    }
  });
}

void call_once_initialises_once() {
  std::once_flag flag;
  int calls = 0;
  on_four_threads([&] {
    std::call_once(flag, [&] {
      sched_yield();
      ++calls;
    });
    EXPECT(calls == 1);
  });
}

void call_once_is_retried_after_an_exception() {
  std::once_flag flag;
  std::mutex mutex;
  int attempts = 0;
  int thrown = 0;
  on_four_threads([&] {
    try {
      std::call_once(flag, [&] {
        sched_yield();
        if (++attempts < 3) throw std::runtime_error("not yet");
      });
    } catch (const std::runtime_error&) {
      std::lock_guard guard(mutex);
      ++thrown;
    }
  });
  EXPECT(attempts == 3);
  EXPECT(thrown == 2);
}

int constructions;

struct Slow {
  std::string text;
  Slow() : text("slowly built, too long to be kept inside the string object") {
    for (int i = 0; i < 5; ++i) sched_yield();
    ++constructions;
  }
};

const Slow& slow_static() {
  static const Slow slow;
  return slow;
}

void static_locals_are_built_once() {
  on_four_threads([] { EXPECT(slow_static().text.size() == 58); });
  EXPECT(constructions == 1);
}

int fragile_attempts;

struct Fragile {
  Fragile() {
    sched_yield();
    if (++fragile_attempts < 3) throw std::runtime_error("not yet");
  }
  int value = 5;
};

const Fragile& fragile_static() {
  static const Fragile fragile;
  return fragile;
}

void static_locals_are_retried_after_an_exception() {
  std::mutex mutex;
  int thrown = 0;
  on_four_threads([&] {
    try {
      EXPECT(fragile_static().value == 5);
    } catch (const std::runtime_error&) {
      std::lock_guard guard(mutex);
      ++thrown;
    }
  });
  EXPECT(fragile_attempts == 3);
  EXPECT(thrown == 2);
}

}  // namespace

int main() {
  posix_initialises_once();
  call_once_initialises_once();
  call_once_is_retried_after_an_exception();
  static_locals_are_built_once();
  static_locals_are_retried_after_an_exception();
  return finish();
}
