// Tests of Catch2, each of which heddle_add_test() explores by its name.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

#include <mutex>
#include <thread>

namespace {

class Counter {
 public:
  void add() {
    const int before = count_;
    count_ = before + 1;
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

}  // namespace

TEST_CASE("counts in turn") {
  Counter counter;
  std::mutex mutex;
  const auto add = [&] {
    const std::lock_guard guard(mutex);
    counter.add();
  };
  std::thread first(add), second(add);
  first.join();
  second.join();
  CHECK(counter.count() == 2);
}

TEST_CASE("loses a count") {
  Counter counter;
  std::thread first([&] { counter.add(); });
  std::thread second([&] { counter.add(); });
  first.join();
  second.join();
  CHECK(counter.count() == 2);
}
