// Tests whose bodies are repeated inside one process, with heddle/gtest.h.
#include <heddle/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace {

int bodies = 0;  // run in this process; a body may keep such a thing, as long as it does not depend on it

template <typename Add>
int added_by_two(Add add) {
  int sum = 0;
  std::mutex mutex;
  std::thread first([&] { add(sum, mutex); });
  std::thread second([&] { add(sum, mutex); });
  first.join();
  second.join();
  return sum;
}

HEDDLE_TEST(Repeated, Locked) {
  const int sum = added_by_two([](int& total, std::mutex& mutex) {
    const std::lock_guard guard(mutex);
    ++total;
  });
  EXPECT_EQ(sum, 2);
}

HEDDLE_TEST(Repeated, LosesACount) {
  const int sum = added_by_two([](int& total, std::mutex&) {
    const int before = total;
    total = before + 1;
  });
  EXPECT_EQ(sum, 2);
}

HEDDLE_TEST(Repeated, IsRunInOneProcess) {
  ++bodies;
  std::atomic<int> meetings = 0;
  std::thread other([&] { ++meetings; });
  ++meetings;
  other.join();
  EXPECT_EQ(meetings, 2);
  // Fails where the body comes again in the same process, which a plain test never does.
  EXPECT_LT(bodies, 3);
}

TEST(Plain, RunsOnce) { EXPECT_EQ(++bodies, 1); }

}  // namespace
