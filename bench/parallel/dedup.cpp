// As PARSEC's dedup: a stream is cut into chunks, which are looked up in a hash table, compressed when they are new, and
// written in order. The table is locked by bucket. It can grow when it is full, and that is documented as not safe while
// threads use it: with the third argument 1 it grows nevertheless, which is the configuration error of Bugaboo's case
// study (section 6.6).
//
// usage: dedup [threads] [chunks] [resize 0|1]
#include <cassert>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "common.h"

namespace {

struct Chunk {
  std::size_t number;
  std::string bytes;
  std::uint64_t key = 0;
  bool duplicate = false;
};

struct Entry {
  std::uint64_t key;
  std::size_t uses;
  Entry* next;
};

// Chained buckets with striped locks. NOTE: resize() moves entries of all buckets and takes no lock. Do not enable it
// when more than one thread uses the table.
class HashTable {
 public:
  HashTable(std::size_t buckets, bool resizes) : buckets_(buckets), resizes_(resizes) {}
  ~HashTable() {
    for (Entry* bucket : buckets_)
      for (Entry* entry = bucket; entry != nullptr;) delete std::exchange(entry, entry->next);
  }

  // True: it was there.
  bool insert(std::uint64_t key) {
    const std::lock_guard guard(locks_[key % kLocks]);
    Entry** bucket = &buckets_[key % buckets_.size()];
    for (Entry* entry = *bucket; entry != nullptr; entry = entry->next) {
      if (entry->key != key) continue;
      ++entry->uses;
      return true;
    }
    *bucket = new Entry{key, 1, *bucket};
    count_locks_.lock();
    const std::size_t count = ++count_;
    count_locks_.unlock();
    if (resizes_ && count > kLoad * buckets_.size()) resize();
    return false;
  }

  std::size_t uses() const {
    std::size_t sum = 0;
    for (const Entry* bucket : buckets_)
      for (const Entry* entry = bucket; entry != nullptr; entry = entry->next) sum += entry->uses;
    return sum;
  }
  std::size_t size() const { return count_; }

 private:
  static constexpr std::size_t kLocks = 4, kLoad = 2;

  void resize() {
    std::vector<Entry*> larger(2 * buckets_.size());
    for (Entry*& bucket : buckets_) {
      while (bucket != nullptr) {
        Entry* entry = bucket;
        bucket = entry->next;
        entry->next = larger[entry->key % larger.size()];
        larger[entry->key % larger.size()] = entry;
      }
    }
    buckets_.swap(larger);
  }

  std::vector<Entry*> buckets_;
  const bool resizes_;
  std::mutex locks_[kLocks];
  std::mutex count_locks_;
  std::size_t count_ = 0;
};

std::uint64_t hash_of(const std::string& bytes) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211u;
  return hash;
}

// Run lengths, which is enough to have the bytes touched.
std::size_t compressed_size(const std::string& bytes) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) size += i == 0 || bytes[i] != bytes[i - 1];
  return 2 * size;
}

std::string chunk_bytes(std::size_t number) {
  Generator random(number % 7 == 3 ? 5 : number);  // every seventh is the same
  std::string bytes(64 + random.next() % 64, ' ');
  for (char& byte : bytes) byte = static_cast<char>('a' + random.next() % 4);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t threads = argument(argc, argv, 1, 4);
  const std::size_t count = argument(argc, argv, 2, 2'000);
  const bool resizes = argument(argc, argv, 3, 0) != 0;
  const std::size_t workers = threads > 2 ? threads - 2 : 1;
  HashTable table(resizes ? 2 : 256, resizes);
  Channel<Chunk> cut(8, 1), looked_up(8, workers);
  std::size_t written = 0, chunks = 0;
  std::vector<std::thread> stages;
  stages.emplace_back([&] {
    for (std::size_t i = 0; i < count; ++i) cut.put({i, chunk_bytes(i)});
    cut.leave();
  });
  for (std::size_t i = 0; i < workers; ++i) {
    stages.emplace_back([&] {
      while (std::optional<Chunk> chunk = cut.take()) {
        chunk->key = hash_of(chunk->bytes);
        chunk->duplicate = table.insert(chunk->key);
        looked_up.put(std::move(*chunk));
      }
      looked_up.leave();
    });
  }
  stages.emplace_back([&] {
    while (const std::optional<Chunk> chunk = looked_up.take()) {
      written += chunk->duplicate ? 8 : compressed_size(chunk->bytes);
      ++chunks;
    }
  });
  for (std::thread& stage : stages) stage.join();
  assert(chunks == count);
  assert(table.uses() == count);
  std::printf("%zu chunks, %zu distinct, %zu bytes\n", chunks, table.size(), written);
}
