// A shared hash table with striped locks: four threads insert, count and look up. usage: hash_table
// [operations]
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "random.h"
#include "size.h"

namespace {

constexpr std::size_t kThreads = 4;

class HashTable {
 public:
  explicit HashTable(std::size_t buckets) : buckets_(buckets) {}

  void add(std::uint64_t key, std::uint64_t amount) {
    const std::size_t bucket = bucket_of(key);
    std::lock_guard guard(stripes_[bucket % kStripes]);
    for (Entry* entry = buckets_[bucket].get(); entry != nullptr; entry = entry->next.get()) {
      if (entry->key == key) {
        entry->value += amount;
        return;
      }
    }
    buckets_[bucket] = std::make_unique<Entry>(key, amount, std::move(buckets_[bucket]));
  }

  std::uint64_t find(std::uint64_t key) {
    const std::size_t bucket = bucket_of(key);
    std::lock_guard guard(stripes_[bucket % kStripes]);
    for (Entry* entry = buckets_[bucket].get(); entry != nullptr; entry = entry->next.get()) {
      if (entry->key == key) return entry->value;
    }
    return 0;
  }

  std::uint64_t sum() const {
    std::uint64_t total = 0;
    for (const auto& head : buckets_) {
      for (const Entry* entry = head.get(); entry != nullptr; entry = entry->next.get())
        total += entry->key ^ entry->value;
    }
    return total;
  }

 private:
  static constexpr std::size_t kStripes = 64;

  struct Entry {
    Entry(std::uint64_t k, std::uint64_t v, std::unique_ptr<Entry> n) : key(k), value(v), next(std::move(n)) {}

    std::uint64_t key;
    std::uint64_t value;
    std::unique_ptr<Entry> next;
  };

  std::size_t bucket_of(std::uint64_t key) const { return key * 0x9e3779b97f4a7c15u % buckets_.size(); }

  std::vector<std::unique_ptr<Entry>> buckets_;
  std::array<std::mutex, kStripes> stripes_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t operations = size_argument(argc, argv, 24000000);
  HashTable table(20011);
  std::uint64_t never_found[kThreads] = {};
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        Random random(i + 1);
        for (std::size_t operation = 0; operation < operations / kThreads; ++operation) {
          const std::uint64_t key = random.below(40000);
          if (operation % 4 == 0) {
            table.add(key, operation);
          } else {
            never_found[i] += table.find(key + 1000000);
          }
        }
      });
    }
  }
  std::uint64_t checksum = table.sum();
  for (std::uint64_t count : never_found) checksum += count;
  std::printf("%016llx\n", static_cast<unsigned long long>(checksum));
  return 0;
}
