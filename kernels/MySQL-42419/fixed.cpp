// MySQL-42419, repaired: the error path detaches the plan from the table.
//
// usage: fixed [pairs of connections] [transactions per connection]
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using Transaction = std::size_t;

// Exclusive row locks, held until the end of the transaction.
class RowLocks {
 public:
  // Returns false if waiting would be a deadlock.
  bool lock(Transaction transaction, std::size_t row) {
    std::unique_lock guard(mutex_);
    while (owners_.contains(row) && owners_[row] != transaction) {
      if (waits_for(owners_[row], transaction)) return false;
      waits_[transaction] = row;
      released_.wait(guard);
      waits_.erase(transaction);
    }
    owners_[row] = transaction;
    return true;
  }

  void release_all(Transaction transaction) {
    std::lock_guard guard(mutex_);
    std::erase_if(owners_, [&](const auto& entry) { return entry.second == transaction; });
    released_.notify_all();
  }

 private:
  // True if the waiter waits for the owner, directly or indirectly.
  bool waits_for(Transaction waiter, Transaction owner) const {
    auto wait = waits_.find(waiter);
    while (wait != waits_.end()) {
      const auto found = owners_.find(wait->second);
      if (found == owners_.end()) return false;
      if (found->second == owner) return true;
      wait = waits_.find(found->second);
    }
    return false;
  }

  std::mutex mutex_;
  std::condition_variable released_;
  std::map<std::size_t, Transaction> owners_;
  std::map<Transaction, std::size_t> waits_;
};

class JoinPlan {
 public:
  virtual ~JoinPlan() = default;
  virtual std::size_t first_row() const = 0;
};

class ConstantPlan : public JoinPlan {
 public:
  explicit ConstantPlan(std::size_t row) : row_(row) {}
  std::size_t first_row() const override { return row_; }

 private:
  const std::size_t row_;
};

struct Table {
  JoinPlan* plan = nullptr;
};

class Connection {
 public:
  Connection(RowLocks& locks, Transaction id) : locks_(locks), id_(id) {}

  // UPDATE one row, SELECT another FOR UPDATE, COMMIT. False: rolled back.
  bool run_transaction(std::size_t updated, std::size_t selected) {
    const bool done = locks_.lock(id_, updated) && select_for_update(selected);
    locks_.release_all(id_);
    return done;
  }

  // A plain SELECT takes no lock.
  std::size_t select(std::size_t row) {
    Table& table = cached_table_;
    std::unique_ptr<JoinPlan> plan;
    if (table.plan == nullptr) {
      plan = std::make_unique<ConstantPlan>(row);
      table.plan = plan.get();
    }
    const std::size_t found = table.plan->first_row();
    table.plan = nullptr;
    return found;
  }

 private:
  bool select_for_update(std::size_t row) {
    Table& table = cached_table_;
    const auto plan = std::make_unique<ConstantPlan>(row);
    table.plan = plan.get();
    const bool locked = locks_.lock(id_, table.plan->first_row());
    table.plan = nullptr;
    return locked;
  }

  RowLocks& locks_;
  const Transaction id_;
  Table cached_table_;
};

// A client whose transaction was rolled back reads the current rows.
void run_connection(RowLocks& locks, Transaction id, std::size_t transactions) {
  Connection connection(locks, id);
  const std::size_t mine = id;
  const std::size_t other = id % 2 == 0 ? id + 1 : id - 1;
  for (std::size_t i = 0; i < transactions; ++i) {
    if (connection.run_transaction(mine, other)) continue;
    const std::size_t found = connection.select(mine);
    assert(found == mine);
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t pairs = argument(argc, argv, 1, 1);
  const std::size_t transactions = argument(argc, argv, 2, 1);

  RowLocks locks;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2 * pairs; ++i) threads.emplace_back(run_connection, std::ref(locks), i, transactions);
  for (std::thread& thread : threads) thread.join();

  std::printf("%zu transactions\n", 2 * pairs * transactions);
  return 0;
}
