// Account. Every operation of an account is under the account's lock, and a transfer is an operation
// of the account that pays: it holds that one's lock, and adds to the other's balance without the
// other's. A transfer that meets a deposit, a withdrawal or another transfer on the receiving
// account loses one of the two updates. Source: Account of the IBM ConTest benchmark (PECAN Table
// 1). Repair: a transfer holds both locks.
//
// usage: kernel [managers] [rounds]
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
    std::lock_guard guard(mutex_);
    amount_ -= money;
    to.amount_ += money;  // under the wrong lock
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

// Looks after one account; what it transfers goes to the next one in the circle.
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
  // With fewer than two there is nobody to transfer to.
  const std::size_t managers = std::max<std::size_t>(2, argument(argc, argv, 1, 2));
  const std::size_t rounds = argument(argc, argv, 2, 1);

  std::deque<Account> accounts;
  for (std::size_t i = 0; i < managers; ++i) accounts.emplace_back("account " + std::to_string(i), kOpeningAmount);

  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < managers; ++i) {
    threads.emplace_back([&accounts, i, rounds] { ManageAccount(accounts, i).run(rounds); });
  }
  for (std::thread& thread : threads) thread.join();

  // What an account pays to the next one, it gets from the one before.
  const long expected = kOpeningAmount + static_cast<long>(rounds) * (kDeposit - kWithdrawal);
  for (const Account& account : accounts) {
    std::puts(account.statement().c_str());
    assert(account.amount() == expected);
  }
  return 0;
}
