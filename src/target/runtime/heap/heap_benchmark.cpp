// Compares the cost of malloc and free between this heap and glibc, in one run.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

#include "base/random.h"
#include "runtime/heap/heap.h"

namespace heddle::runtime::heap {
namespace {

struct Heddle {
  static void* allocate(std::size_t size) { return heap::allocate(size); }
  static void release(void* block) { heap::release(block); }
};

struct Glibc {
  static void* allocate(std::size_t size) { return std::malloc(size); }
  static void release(void* block) { std::free(block); }
};

template <typename Allocator>
void pair(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    void* block = Allocator::allocate(size);
    benchmark::DoNotOptimize(block);
    Allocator::release(block);
  }
}

// 1,000 live blocks of 1 to 256 bytes; each step replaces one at random.
template <typename Allocator>
void churn(benchmark::State& state) {
  std::vector<void*> live(1000, nullptr);
  Random random{1};
  for (auto _ : state) {
    void*& block = live[random.below(live.size())];
    Allocator::release(block);
    block = Allocator::allocate(1 + random.below(256));
    benchmark::DoNotOptimize(block);
  }
  for (void* block : live) Allocator::release(block);
}

// Builds and tears down a structure of small blocks.
template <typename Allocator>
void build_and_tear_down(benchmark::State& state) {
  std::vector<void*> live(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    for (void*& block : live) block = Allocator::allocate(48);
    for (void* block : live) Allocator::release(block);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void freed_memory_test(benchmark::State& state) {
  std::vector<void*> live(1000);
  for (void*& block : live) block = heap::allocate(64);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(is_freed_memory(live[i]));
    i = i + 1 == live.size() ? 0 : i + 1;
  }
  for (void* block : live) heap::release(block);
}

BENCHMARK(pair<Heddle>)->Arg(16)->Arg(64)->Arg(256)->Arg(1024)->Arg(8192)->Arg(65536)->Arg(262144);
BENCHMARK(pair<Glibc>)->Arg(16)->Arg(64)->Arg(256)->Arg(1024)->Arg(8192)->Arg(65536)->Arg(262144);
BENCHMARK(churn<Heddle>);
BENCHMARK(churn<Glibc>);
BENCHMARK(build_and_tear_down<Heddle>)->Arg(1000)->Arg(100000);
BENCHMARK(build_and_tear_down<Glibc>)->Arg(1000)->Arg(100000);
BENCHMARK(freed_memory_test);

}  // namespace
}  // namespace heddle::runtime::heap

int main(int argc, char** argv) {
  if (!heddle::runtime::heap::initialise()) return 1;
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
