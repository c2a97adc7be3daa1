// Account, repaired: a transfer holds the locks of both accounts.
//
// usage: fixed [managers] [rounds]
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

class Account {
 public:
  Account(std::string name, long amount) : name_(std::move(name)), amount_(amount) {}

  void deposit(long money) {
    std::lock_guard guard(mutex_);
    amount_ += money;
  }

  void withdraw(long money) {
    std::lock_guard guard(mutex_);
    amount_ -= money;
  }

  void transfer(Account& to, long money) {
    std::scoped_lock guard(mutex_, to.mutex_);
    amount_ -= money;
    to.amount_ += money;
  }

  std::string statement() const {
    std::lock_guard guard(mutex_);
    return name_ + ": " + std::to_string(amount_);
  }

  long amount() const {
    std::lock_guard guard(mutex_);
    return amount_;
  }

 private:
  mutable std::mutex mutex_;
  const std::string name_;
  long amount_;
};

constexpr long kOpeningAmount = 1000;
constexpr long kDeposit = 300;
constexpr long kWithdrawal = 100;
constexpr long kTransfer = 99;

// Manages one account; its transfers go to the next account in the circle.
class ManageAccount {
 public:
  ManageAccount(std::deque<Account>& accounts, std::size_t index)
      : account_(accounts[index]), next_(accounts[(index + 1) % accounts.size()]) {}

  void run(std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
      account_.deposit(kDeposit);
      account_.withdraw(kWithdrawal);
      account_.transfer(next_, kTransfer);
    }
  }

 private:
  Account& account_;
  Account& next_;
};

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  // A transfer needs at least two accounts.
  const std::size_t managers = std::max<std::size_t>(2, argument(argc, argv, 1, 2));
  const std::size_t rounds = argument(argc, argv, 2, 1);

  std::deque<Account> accounts;
  for (std::size_t i = 0; i < managers; ++i) accounts.emplace_back("account " + std::to_string(i), kOpeningAmount);

  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < managers; ++i) {
    threads.emplace_back([&accounts, i, rounds] { ManageAccount(accounts, i).run(rounds); });
  }
  for (std::thread& thread : threads) thread.join();

  // An account receives from the previous one what it pays to the next one.
  const long expected = kOpeningAmount + static_cast<long>(rounds) * (kDeposit - kWithdrawal);
  for (const Account& account : accounts) {
    std::puts(account.statement().c_str());
    assert(account.amount() == expected);
  }
  return 0;
}
