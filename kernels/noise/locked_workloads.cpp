// Communication by locks and condition variables.
#include <cassert>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "noise.h"

namespace noise {
namespace {

// Worker 0 produces, the others consume.
class BoundedQueue : public Workload {
 public:
  void run(std::size_t worker, std::size_t round) override {
    for (std::size_t i = 0; i < kItemsEach; ++i) {
      if (worker > 0) {
        consume();
        continue;
      }
      for (std::size_t consumer = 1; consumer < kWorkers; ++consumer) produce(round + i);
    }
  }

  void check(std::size_t rounds) const override {
    assert(count_ == 0);
    assert(produced_ == consumed_);
    assert(items_consumed_ == rounds * kItemsEach * (kWorkers - 1));
    assert(count_max_ <= kCapacity);
  }

 private:
  static constexpr std::size_t kCapacity = 2;
  static constexpr std::size_t kItemsEach = 2;

  void produce(std::size_t item) {
    std::unique_lock guard(mutex_);
    while (count_ == kCapacity) not_full_.wait(guard);
    ring_[last_] = item;
    last_ = (last_ + 1) % kCapacity;
    ++count_;
    if (count_ > count_max_) count_max_ = count_;
    produced_ += item;
    not_empty_.notify_one();
  }

  void consume() {
    std::unique_lock guard(mutex_);
    while (count_ == 0) not_empty_.wait(guard);
    const std::size_t item = ring_[first_];
    first_ = (first_ + 1) % kCapacity;
    --count_;
    consumed_ += item;
    ++items_consumed_;
    not_full_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  std::size_t ring_[kCapacity] = {};
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::size_t count_ = 0;
  std::size_t count_max_ = 0;
  std::size_t produced_ = 0;
  std::size_t consumed_ = 0;
  std::size_t items_consumed_ = 0;
};

// Every worker counts words; each shard has a lock.
class ShardedMap : public Workload {
 public:
  void run(std::size_t worker, std::size_t round) override {
    for (std::size_t i = 0; i < 2; ++i) {
      add((worker + i) % kKeys);
      add((round + i) % kKeys);
    }
    if (worker == 0) forget(round % kKeys);
  }

  void check(std::size_t rounds) const override {
    std::size_t sum = 0;
    std::size_t entries = 0;
    for (const Shard& shard : shards_) {
      sum += shard.forgotten;
      for (const Entry* entry = shard.first.get(); entry != nullptr; entry = entry->next.get()) {
        sum += entry->count;
        ++entries;
      }
    }
    assert(sum == rounds * kWorkers * 4);
    assert(entries == shards_[0].size + shards_[1].size);
  }

 private:
  static constexpr std::size_t kKeys = 5;

  struct Entry {
    std::size_t key;
    std::size_t count;
    std::unique_ptr<Entry> next;
  };

  struct Shard {
    std::mutex mutex;
    std::unique_ptr<Entry> first;
    std::size_t size = 0;
    std::size_t forgotten = 0;
  };

  void add(std::size_t key) {
    Shard& shard = shards_[key % 2];
    std::lock_guard guard(shard.mutex);
    for (Entry* entry = shard.first.get(); entry != nullptr; entry = entry->next.get()) {
      if (entry->key != key) continue;
      ++entry->count;
      return;
    }
    shard.first = std::make_unique<Entry>(Entry{key, 1, std::move(shard.first)});
    ++shard.size;
  }

  void forget(std::size_t key) {
    Shard& shard = shards_[key % 2];
    std::lock_guard guard(shard.mutex);
    for (std::unique_ptr<Entry>* link = &shard.first; *link != nullptr; link = &(*link)->next) {
      if ((*link)->key != key) continue;
      shard.forgotten += (*link)->count;
      std::unique_ptr<Entry> rest = std::move((*link)->next);
      *link = std::move(rest);
      --shard.size;
      return;
    }
  }

  Shard shards_[2];
};

// Rows with many reads and few updates; the fields of a row change together.
class SharedTable : public Workload {
 public:
  void run(std::size_t worker, std::size_t round) override {
    Row& row = rows_[round % 2];
    if (round % kWorkers == worker) update(row, round);
    read(row);
    read(rows_[worker % 2]);
  }

  void check(std::size_t rounds) const override { assert(rows_[0].version + rows_[1].version == rounds); }

 private:
  struct Row {
    std::shared_mutex mutex;
    std::size_t version = 0;
    std::size_t price = 0;
    std::size_t stock = 0;
    std::size_t checksum = 0;
  };

  void update(Row& row, std::size_t round) {
    std::unique_lock guard(row.mutex);
    ++row.version;
    row.price += 3;
    row.stock += round;
    row.checksum = row.version + row.price + row.stock;
  }

  void read(Row& row) {
    std::shared_lock guard(row.mutex);
    const std::size_t version = row.version;
    const std::size_t price = row.price;
    const std::size_t stock = row.stock;
    assert(price == 3 * version);
    assert(row.checksum == version + price + stock);
  }

  Row rows_[2];
};

// Transfers between accounts; locks are taken in the order of the accounts.
class Transfers : public Workload {
 public:
  void run(std::size_t worker, std::size_t round) override {
    transfer(worker % kAccounts, (worker + 1) % kAccounts, 1 + round % 3);
    transfer((worker + 2) % kAccounts, worker % kAccounts, 2);
  }

  void check(std::size_t) const override {
    long sum = 0;
    for (const Account& account : accounts_) sum += account.balance;
    assert(sum == 0);
  }

 private:
  static constexpr std::size_t kAccounts = 3;

  struct Account {
    std::mutex mutex;
    long balance = 0;
    std::size_t postings = 0;
  };

  void transfer(std::size_t from, std::size_t to, std::size_t amount) {
    Account& lower = accounts_[from < to ? from : to];
    Account& upper = accounts_[from < to ? to : from];
    std::lock_guard lower_guard(lower.mutex);
    std::lock_guard upper_guard(upper.mutex);
    accounts_[from].balance -= static_cast<long>(amount);
    ++accounts_[from].postings;
    accounts_[to].balance += static_cast<long>(amount);
    ++accounts_[to].postings;
  }

  Account accounts_[kAccounts];
};

// A bounded list of the most recently used keys, latest first.
class RecentKeys : public Workload {
 public:
  void run(std::size_t worker, std::size_t round) override {
    touch(worker + round);
    touch(2 * worker);
  }

  void check(std::size_t rounds) const override {
    assert(keys_.size() <= kCapacity);
    assert(hits_ + misses_ == 2 * rounds * kWorkers);
    assert(misses_ == evictions_ + keys_.size());
  }

 private:
  static constexpr std::size_t kCapacity = 3;

  struct Key {
    std::size_t value;
    std::size_t uses;
  };

  void touch(std::size_t value) {
    std::lock_guard guard(mutex_);
    for (auto key = keys_.begin(); key != keys_.end(); ++key) {
      if (key->value != value) continue;
      ++key->uses;
      keys_.splice(keys_.begin(), keys_, key);
      ++hits_;
      return;
    }
    ++misses_;
    keys_.push_front({value, 1});
    if (keys_.size() <= kCapacity) return;
    uses_evicted_ += keys_.back().uses;
    keys_.pop_back();
    ++evictions_;
  }

  std::mutex mutex_;
  std::list<Key> keys_;
  std::size_t hits_ = 0;
  std::size_t misses_ = 0;
  std::size_t evictions_ = 0;
  std::size_t uses_evicted_ = 0;
};

// Workers 0 and 1 alternate, the others count.
class PingPong : public Workload {
 public:
  void run(std::size_t worker, std::size_t round) override {
    if (worker > 1) {
      keep_score(round + 1);
      return;
    }
    for (std::size_t i = 0; i < kStrokes; ++i) stroke(worker);
  }

  void check(std::size_t rounds) const override {
    assert(strokes_ == 2 * rounds * kStrokes);
    assert(games_ == rounds);
  }

 private:
  static constexpr std::size_t kStrokes = 2;

  void stroke(std::size_t player) {
    std::unique_lock guard(mutex_);
    while (turn_ != player) changed_.wait(guard);
    ++strokes_;
    if (strokes_ % (2 * kStrokes) == 0) ++games_;
    turn_ = 1 - player;
    changed_.notify_all();
  }

  void keep_score(std::size_t games) {
    std::unique_lock guard(mutex_);
    while (games_ < games) changed_.wait(guard);
    assert(strokes_ >= 2 * games * kStrokes);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t turn_ = 0;
  std::size_t strokes_ = 0;
  std::size_t games_ = 0;
};

// In each step, cells take the mean of their neighbours; a barrier separates the steps.
class Relaxation : public Workload {
 public:
  Relaxation() { cells_[0] = 1 << 20; }

  void run(std::size_t worker, std::size_t) override {
    const std::size_t first = 1 + worker * kCellsEach;
    for (std::size_t i = first; i < first + kCellsEach; ++i) {
      const long left = cells_[i - 1];
      const long right = cells_[i + 1];
      next_[i] = (left + right) / 2;
    }
    meet();
    for (std::size_t i = first; i < first + kCellsEach; ++i) cells_[i] = next_[i];
    meet();
  }

  void check(std::size_t rounds) const override {
    for (std::size_t i = 1; i + 1 < kCells; ++i) assert(cells_[i] <= cells_[i - 1]);
    assert(meetings_ == 2 * rounds);
  }

 private:
  static constexpr std::size_t kCellsEach = 2;
  static constexpr std::size_t kCells = kWorkers * kCellsEach + 2;

  void meet() {
    std::unique_lock guard(mutex_);
    const std::size_t meeting = meetings_;
    ++arrived_;
    if (arrived_ == kWorkers) {
      arrived_ = 0;
      ++meetings_;
      all_here_.notify_all();
      return;
    }
    while (meetings_ == meeting) all_here_.wait(guard);
  }

  long cells_[kCells] = {};
  long next_[kCells] = {};
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::size_t arrived_ = 0;
  std::size_t meetings_ = 0;
};

// Each worker has a pile of tasks. It takes its own newest task, or otherwise the oldest one of another worker.
class StealingPiles : public Workload {
 public:
  void run(std::size_t worker, std::size_t round) override {
    put(piles_[worker], 1 + round % 5);
    put(piles_[worker], 2);
    put(piles_[(worker + 1) % kWorkers], 3);
    for (std::size_t i = 0; i < 2; ++i) {
      if (take_newest(piles_[worker])) continue;
      steal_oldest(piles_[(worker + 1) % kWorkers]);
    }
  }

  void check(std::size_t) const override {
    for (const Pile& pile : piles_) {
      std::size_t left = 0;
      for (std::size_t task : pile.tasks) left += task;
      assert(pile.work_put == pile.work_taken + pile.work_stolen + left);
    }
  }

 private:
  struct Pile {
    std::mutex mutex;
    std::list<std::size_t> tasks;
    std::size_t work_put = 0;
    std::size_t work_taken = 0;
    std::size_t work_stolen = 0;
  };

  static void put(Pile& pile, std::size_t task) {
    std::lock_guard guard(pile.mutex);
    pile.tasks.push_back(task);
    pile.work_put += task;
  }

  static bool take_newest(Pile& pile) {
    std::lock_guard guard(pile.mutex);
    if (pile.tasks.empty()) return false;
    pile.work_taken += pile.tasks.back();
    pile.tasks.pop_back();
    return true;
  }

  static bool steal_oldest(Pile& pile) {
    std::lock_guard guard(pile.mutex);
    if (pile.tasks.empty()) return false;
    pile.work_stolen += pile.tasks.front();
    pile.tasks.pop_front();
    return true;
  }

  Pile piles_[kWorkers];
};

// A page of numbers that the workers write in turns and read: total, extremes, order.
class SharedPage : public Workload {
 public:
  void run(std::size_t worker, std::size_t round) override {
    write(10 * worker + round % 10);
    read();
  }

  void check(std::size_t rounds) const override { assert(writes_ == rounds * kWorkers); }

 private:
  static constexpr std::size_t kNumbers = 4;

  void write(std::size_t number) {
    std::lock_guard guard(mutex_);
    total_ -= numbers_[oldest_];
    numbers_[oldest_] = number;
    total_ += number;
    oldest_ = (oldest_ + 1) % kNumbers;
    if (number > largest_) largest_ = number;
    ++writes_;
  }

  void read() {
    std::lock_guard guard(mutex_);
    std::size_t total = 0;
    for (std::size_t number : numbers_) {
      total += number;
      assert(number <= largest_);
    }
    assert(total == total_);
    assert(oldest_ == writes_ % kNumbers);
  }

  std::mutex mutex_;
  std::size_t numbers_[kNumbers] = {};
  std::size_t oldest_ = 0;
  std::size_t total_ = 0;
  std::size_t largest_ = 0;
  std::size_t writes_ = 0;
};

}  // namespace

Workload* new_bounded_queue() {
  return new BoundedQueue;
}
Workload* new_sharded_map() {
  return new ShardedMap;
}
Workload* new_shared_table() {
  return new SharedTable;
}
Workload* new_transfers() {
  return new Transfers;
}
Workload* new_recent_keys() {
  return new RecentKeys;
}
Workload* new_ping_pong() {
  return new PingPong;
}
Workload* new_relaxation() {
  return new Relaxation;
}
Workload* new_stealing_piles() {
  return new StealingPiles;
}
Workload* new_shared_page() {
  return new SharedPage;
}

}  // namespace noise
