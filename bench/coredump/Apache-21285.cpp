// Apache-21285 after a long time in service: every worker first answers requests that only test whether a page is in
// the cache, like conditional requests.
//
// usage: Apache-21285 [workers] [generated requests per worker] [requests per worker]
#define main kernel_main
#include "../../kernels/Apache-21285/kernel.cpp"
#undef main
#include "generated_input.h"

namespace {

bool is_cached(Cache& cache, std::size_t key) {
  std::lock_guard guard(cache.lock);
  return cache.table.contains(key);
}

void serve_long(Cache& cache, std::size_t worker, std::size_t generated, std::size_t requests) {
  GeneratedInput input(worker);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < generated; ++i) hits += is_cached(cache, input.below(100));
  serve(cache, worker, requests);
  std::printf("worker %zu: %zu hits\n", worker, hits);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t workers = argument(argc, argv, 1, 3);
  const std::size_t generated = argument(argc, argv, 2, 400);
  const std::size_t requests = argument(argc, argv, 3, 20);

  Cache cache;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers; ++i)
    threads.emplace_back(serve_long, std::ref(cache), i + 1, generated, requests);
  for (std::thread& thread : threads) thread.join();
  std::printf("%zu bytes cached\n", cache.current_size);
  return 0;
}
