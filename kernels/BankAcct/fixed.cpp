// BankAcct, repaired: a posting reads and writes the balance in one critical section.
//
// usage: fixed [tellers] [slips per teller] [accounts]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr long kOpeningBalance = 1000;

class Account {
 public:
  void deposit(long amount) {
    std::lock_guard guard(mutex_);
    balance_ += amount;
  }

  bool withdraw(long amount) {
    std::lock_guard guard(mutex_);
    if (balance_ < amount) return false;
    balance_ -= amount;
    return true;
  }

  long balance() const {
    std::lock_guard guard(mutex_);
    return balance_;
  }

 private:
  mutable std::mutex mutex_;
  long balance_ = 0;
};

struct Slip {
  std::size_t account;
  long amount;  // negative: a withdrawal
};

// Posts the slips of one counter and records the accepted ones.
class Teller {
 public:
  Teller(std::vector<std::unique_ptr<Account>>& accounts, std::vector<Slip> slips)
      : accounts_(accounts), slips_(std::move(slips)), posted_(accounts.size()) {}

  void work() {
    for (const Slip& slip : slips_) {
      Account& account = *accounts_[slip.account];
      if (slip.amount >= 0) {
        account.deposit(slip.amount);
      } else if (!account.withdraw(-slip.amount)) {
        continue;
      }
      posted_[slip.account] += slip.amount;
    }
  }

  long posted(std::size_t account) const { return posted_[account]; }

 private:
  std::vector<std::unique_ptr<Account>>& accounts_;
  const std::vector<Slip> slips_;
  std::vector<long> posted_;
};

std::vector<Slip> slips_of(std::size_t teller, std::size_t count, std::size_t accounts) {
  std::vector<Slip> slips;
  for (std::size_t i = 0; i < count; ++i) {
    const long amount = static_cast<long>(10 * (teller + 1) + i);
    slips.push_back({(teller + i) % accounts, i % 3 == 2 ? -amount : amount});
  }
  return slips;
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t teller_count = argument(argc, argv, 1, 2);
  const std::size_t slip_count = argument(argc, argv, 2, 3);
  const std::size_t account_count = argument(argc, argv, 3, 1);

  std::vector<std::unique_ptr<Account>> accounts;
  for (std::size_t i = 0; i < account_count; ++i) {
    accounts.push_back(std::make_unique<Account>());
    accounts.back()->deposit(kOpeningBalance);
  }
  std::vector<Teller> tellers;
  for (std::size_t i = 0; i < teller_count; ++i) tellers.emplace_back(accounts, slips_of(i, slip_count, account_count));

  std::vector<std::thread> threads;
  for (Teller& teller : tellers) threads.emplace_back([&teller] { teller.work(); });
  for (std::thread& thread : threads) thread.join();

  for (std::size_t i = 0; i < account_count; ++i) {
    long expected = kOpeningBalance;
    for (const Teller& teller : tellers) expected += teller.posted(i);
    assert(accounts[i]->balance() == expected);
  }
  std::puts("books balance");
  return 0;
}
