// MySQL-12848. The size zero disables the query cache. A resize frees the cache under its lock, which
// sets the size to zero, and then, without the lock, stores the new size and allocates the cache
// again. A connection that stores a result tests under the lock whether the size is zero; if it does
// so after the new size is stored and before the memory is allocated, it takes a block from a cache
// without blocks, and crashes. Source: MySQL 4.0.26, bug #12848 (multicore dumps, Table 2). Repair: the
// lock is held over the whole resize.
//
// usage: kernel [connections] [queries per connection] [resizes]
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace {

struct Block {
  Block* next;
  long result;
};

constexpr std::size_t kBlockSize = sizeof(Block);

class QueryCache {
 public:
  explicit QueryCache(std::size_t size) : query_cache_size_(size) { init_cache(); }
  ~QueryCache() { std::free(memory_); }

  void resize(std::size_t size) {
    free_cache();
    query_cache_size_ = size;
    init_cache();
  }

  void store_query(std::size_t query, long result) {
    std::lock_guard guard(structure_guard_mutex_);
    if (query_cache_size_ == 0 || queries_.contains(query)) return;
    Block* block = allocate_block();
    block->result = result;
    queries_[query] = block;
  }

  std::optional<long> find_result(std::size_t query) {
    std::lock_guard guard(structure_guard_mutex_);
    if (query_cache_size_ == 0) return std::nullopt;
    const auto found = queries_.find(query);
    if (found == queries_.end()) return std::nullopt;
    return found->second->result;
  }

 private:
  void free_cache() {
    std::lock_guard guard(structure_guard_mutex_);
    queries_.clear();
    std::free(memory_);
    memory_ = nullptr;
    free_blocks_ = nullptr;
    query_cache_size_ = 0;
  }

  // One free block always remains: it terminates the list.
  void init_cache() {
    const std::size_t count = query_cache_size_ / kBlockSize + 1;
    auto* blocks = static_cast<Block*>(std::calloc(count, sizeof(Block)));
    for (std::size_t i = 0; i + 1 < count; ++i) blocks[i].next = &blocks[i + 1];
    memory_ = blocks;
    free_blocks_ = blocks;
  }

  Block* allocate_block() {
    if (free_blocks_->next == nullptr) free_old_query();
    Block* block = free_blocks_;
    free_blocks_ = block->next;
    return block;
  }

  void free_old_query() {
    const auto oldest = queries_.begin();
    oldest->second->next = free_blocks_;
    free_blocks_ = oldest->second;
    queries_.erase(oldest);
  }

  std::mutex structure_guard_mutex_;
  std::size_t query_cache_size_;
  Block* memory_ = nullptr;
  Block* free_blocks_ = nullptr;
  std::map<std::size_t, Block*> queries_;
};

long execute(std::size_t query) {
  return static_cast<long>(query * 17 % 101);
}

void run_connection(QueryCache& cache, std::size_t connection, std::size_t queries) {
  for (std::size_t i = 0; i < queries; ++i) {
    const std::size_t query = 3 * connection + i % 3;
    std::optional<long> result = cache.find_result(query);
    if (!result.has_value()) {
      result = execute(query);
      cache.store_query(query, *result);
    }
    assert(*result == execute(query));
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t connections = argument(argc, argv, 1, 2);
  const std::size_t queries = argument(argc, argv, 2, 3);
  const std::size_t resizes = argument(argc, argv, 3, 3);

  QueryCache cache(2 * kBlockSize);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < connections; ++i) threads.emplace_back(run_connection, std::ref(cache), i, queries);
  for (std::size_t i = 0; i < resizes; ++i) cache.resize((2 + i % 3) * kBlockSize);
  for (std::thread& thread : threads) thread.join();

  std::printf("%zu queries\n", connections * queries);
  return 0;
}
