// Exceptions in flight while threads switch: each thread has its own, in catch blocks, destructors
// and rethrown; and std::exception_ptr carries one across.
#include <sched.h>

#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

std::mutex mutex;
int shared_steps;

// A point at which threads switch.
void step() {
  std::lock_guard guard(mutex);
  ++shared_steps;
  sched_yield();
}

struct StepsWhileUnwinding {
  ~StepsWhileUnwinding() {
    EXPECT(std::uncaught_exceptions() == 1);
    step();
    try {
      throw 1;
    } catch (int) {
      step();
    }
    EXPECT(std::uncaught_exceptions() == 1);
  }
};

void throw_through_a_destructor(const std::string& text) {
  StepsWhileUnwinding steps;
  throw std::runtime_error(text);
}

void catch_and_rethrow(int thread) {
  for (int round = 0; round < 20; ++round) {
    const std::string text = std::to_string(thread) + "/" + std::to_string(round);
    try {
      try {
        throw_through_a_destructor(text);
      } catch (const std::runtime_error& outer) {
        step();
        EXPECT(outer.what() == text);
        try {
          throw std::logic_error("inner " + text);
        } catch (const std::logic_error& inner) {
          step();
          EXPECT(inner.what() == "inner " + text);
        }
        step();
        throw;
      }
    } catch (const std::exception& rethrown) {
      step();
      EXPECT(rethrown.what() == text);
    }
    EXPECT(std::uncaught_exceptions() == 0);
    EXPECT(std::current_exception() == nullptr);
  }
}

void exceptions_cross_threads() {
  std::vector<std::exception_ptr> caught(3);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < caught.size(); ++i) {
    threads.emplace_back([&caught, i] {
      try {
        throw std::out_of_range(std::to_string(i));
      } catch (...) {
        step();
        caught[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < caught.size(); ++i) {
    try {
      std::rethrow_exception(caught[i]);
    } catch (const std::out_of_range& exception) {
      EXPECT(exception.what() == std::to_string(i));
    }
  }
}

void nested_exceptions_unwrap() {
  std::thread([] {
    try {
      try {
        throw std::runtime_error("cause");
      } catch (...) {
        step();
        std::throw_with_nested(std::runtime_error("effect"));
      }
    } catch (const std::exception& effect) {
      bool unwrapped = false;
      try {
        std::rethrow_if_nested(effect);
      } catch (const std::runtime_error& cause) {
        step();
        unwrapped = std::string("cause") == cause.what();
      }
      EXPECT(unwrapped);
    }
  }).join();
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(catch_and_rethrow, i);
  for (std::thread& thread : threads) thread.join();
  exceptions_cross_threads();
  nested_exceptions_unwrap();
  return finish();
}
