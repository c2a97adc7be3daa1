// BuggyPro, repaired: the test, the store and the increment are one critical section.
//
// usage: fixed [users] [numbers per user] [places in the history]
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::uint32_t kNumbers = 1000;

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint32_t seed) : state_(seed * 2654435761u + 1) {}

  std::uint32_t next() {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8) % kNumbers;
  }

 private:
  std::uint32_t state_;
};

// The text on the screen: which user drew which number.
class Announcements {
 public:
  void announce(std::size_t user, std::uint32_t number) {
    std::lock_guard guard(mutex_);
    text_ = "user " + std::to_string(user) + " drew " + std::to_string(number);
    ++count_;
  }

  std::size_t count() {
    std::lock_guard guard(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::string text_;
  std::size_t count_ = 0;
};

class NumberGame {
 public:
  explicit NumberGame(std::size_t places) : history_(places, kNumbers) {}

  void draw(std::size_t user, RandomNumbers& numbers) {
    const std::uint32_t number = numbers.next();
    std::lock_guard guard(mutex_);
    if (current_place_ == history_.size()) current_place_ = 0;
    announcements_.announce(user, number);
    history_.at(current_place_) = number;
    current_place_ = current_place_ + 1;
  }

  std::size_t announced() { return announcements_.count(); }

  // The count of numbers in the history that no user can have drawn.
  std::size_t impossible() const {
    std::size_t count = 0;
    for (std::uint32_t number : history_) count += number > kNumbers ? 1 : 0;
    return count;
  }

 private:
  std::mutex mutex_;
  std::vector<std::uint32_t> history_;
  std::size_t current_place_ = 0;
  Announcements announcements_;
};

// Users differ in speed: some wait less before they draw.
void play(NumberGame& game, std::size_t user, std::size_t draws) {
  RandomNumbers numbers(static_cast<std::uint32_t>(user));
  for (std::size_t i = 0; i < draws; ++i) {
    for (std::size_t thought = 0; thought < user % 3; ++thought) numbers.next();
    game.draw(user, numbers);
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t users = argument(argc, argv, 1, 2);
  const std::size_t draws = argument(argc, argv, 2, 3);
  const std::size_t places = argument(argc, argv, 3, 5);

  NumberGame game(places);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < users; ++i) threads.emplace_back([&game, i, draws] { play(game, i, draws); });
  for (std::thread& thread : threads) thread.join();

  assert(game.announced() <= users * draws);
  assert(game.impossible() == 0);
  std::puts("game over");
  return 0;
}
