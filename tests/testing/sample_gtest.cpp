// The tests on which heddle test is tested: one for each outcome of a test. With REPAIRED the concurrency bugs
// are repaired, and nothing else is changed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace {

#ifdef REPAIRED
constexpr bool kRepaired = true;
#else
constexpr bool kRepaired = false;
#endif

class Account {
 public:
  void deposit(int amount) {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (kRepaired) lock.lock();
    const int before = balance_;
    balance_ = before + amount;
  }
  int balance() const { return balance_; }

 private:
  std::mutex mutex_;
  int balance_ = 0;
};

void two_deposits(Account& account) {
  std::thread first([&] { account.deposit(1); });
  std::thread second([&] { account.deposit(2); });
  first.join();
  second.join();
}

TEST(Account, StartsEmpty) { EXPECT_EQ(Account().balance(), 0); }

TEST(Account, LosesADeposit) {
  Account account;
  two_deposits(account);
  EXPECT_EQ(account.balance(), 3) << "control \x01 and <markup> & \"quotes\" in a message";
}

TEST(Account, LockedByTheTest) {
  Account account;
  std::mutex mutex;
  const auto locked_deposit = [&](int amount) {
    const std::lock_guard lock(mutex);
    account.deposit(amount);
  };
  std::thread first([&] { locked_deposit(1); });
  std::thread second([&] { locked_deposit(2); });
  first.join();
  second.join();
  EXPECT_EQ(account.balance(), 3);
}

TEST(Locks, TakenInBothOrders) {
  std::mutex a;
  std::mutex b;
  std::thread first([&] {
    const std::lock_guard outer(a);
    const std::lock_guard inner(b);
  });
  std::thread second([&] {
    const std::lock_guard outer(kRepaired ? a : b);
    const std::lock_guard inner(kRepaired ? b : a);
  });
  first.join();
  second.join();
}

TEST(Locks, LostWakeup) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    if (kRepaired)
      changed.wait(lock, [&] { return ready; });
    else
      changed.wait(lock);
  });
  {
    const std::lock_guard lock(mutex);
    ready = true;
  }
  changed.notify_one();
  waiter.join();
}

TEST(Crash, NullPublishedTooEarly) {
  static int value = 42;
  std::mutex mutex;
  int* pointer = nullptr;
  std::thread publisher([&] {
    const std::lock_guard lock(mutex);
    pointer = &value;
  });
  if (kRepaired) publisher.join();
  int read = 0;
  {
    const std::lock_guard lock(mutex);
    read = *static_cast<volatile int*>(pointer);
  }
  if (!kRepaired) publisher.join();
  EXPECT_EQ(read, 42);
}

TEST(Process, KillsItself) { raise(SIGKILL); }

TEST(Process, ExitsAsIfAllWereWell) { std::_Exit(0); }

TEST(Process, NeverEnds) {
  volatile bool ends = false;
  while (!ends) {
  }
}

TEST(Process, WritesHundredMegabytes) {
  const std::string line(1 << 20, 'x');
  for (int i = 0; i < 100; ++i) std::fwrite(line.data(), 1, line.size(), stdout);
}

TEST(Skips, ByItself) { GTEST_SKIP() << "not here"; }

TEST(Skips, DISABLED_ByName) { FAIL(); }

class Sizes : public testing::TestWithParam<int> {};

TEST_P(Sizes, NeverNegative) { EXPECT_GE(GetParam(), 0); }

INSTANTIATE_TEST_SUITE_P(Few, Sizes, testing::Values(0, 7));

}  // namespace
