// MySQL-12848 at the end of a long session: main is a connection like the others before it resizes the cache.
//
// usage: MySQL-12848 [connections] [generated queries] [queries per connection] [resizes]
#define main kernel_main
#include "../../kernels/MySQL-12848/kernel.cpp"
#undef main
#include "generated_input.h"

namespace {

void run_queries(QueryCache& cache, std::size_t number, std::size_t queries) {
  GeneratedInput input(number);
  for (std::size_t i = 0; i < queries; ++i) {
    const std::size_t query = input.below(3 * number + 3);
    std::optional<long> result = cache.find_result(query);
    if (!result.has_value()) {
      result = execute(query);
      cache.store_query(query, *result);
    }
    assert(*result == execute(query));
  }
}

void run_client(QueryCache& cache, std::size_t number, std::size_t generated, std::size_t queries) {
  run_queries(cache, number, generated);
  run_connection(cache, number, queries);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t connections = argument(argc, argv, 1, 1);
  const std::size_t generated = argument(argc, argv, 2, 500);
  const std::size_t queries = argument(argc, argv, 3, 100);
  const std::size_t resizes = argument(argc, argv, 4, 20);

  QueryCache cache(2 * kBlockSize);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i <= connections; ++i)
    threads.emplace_back(run_client, std::ref(cache), i, generated, queries);
  run_queries(cache, 0, generated);
  for (std::size_t i = 0; i < resizes; ++i) cache.resize((2 + i % 3) * kBlockSize);
  for (std::thread& thread : threads) thread.join();
  std::printf("%zu queries\n", connections * queries);
  return 0;
}
