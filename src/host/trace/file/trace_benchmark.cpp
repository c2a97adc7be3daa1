// The cost of recording in the process that drains the ring, and the speed of reading traces. The streams imitate
// programs: a walk over a shuffled list, loops over arrays, a queue under a lock that two threads pass back and forth.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "trace/sharing/shared_sites.h"
#include "trace/trace.h"

namespace heddle::trace {
namespace {

using format::EventKind;

struct Stream {
  std::vector<std::uint64_t> words;
  std::uint64_t events = 0;

  void add(EventKind kind, std::uint16_t size, std::uint32_t site, std::uint64_t object) {
    words.insert(words.end(), {format::ring_head(kind, 0, size, site), object});
    ++events;
  }
  void add(EventKind kind, std::uint16_t size, std::uint32_t site, std::uint64_t object, std::uint64_t value) {
    words.insert(words.end(), {format::ring_head(kind, format::kHasValue, size, site), object, value});
    ++events;
  }
};

constexpr std::uint64_t kHeap = 0x2000'0000'0000;
constexpr std::uint64_t kStreamEvents = 2'000'000;

Stream list_walk() {
  std::vector<std::uint32_t> nodes(200'000);
  std::iota(nodes.begin(), nodes.end(), 0);
  Random random(1);
  for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[random.below(i)]);
  Stream stream;
  while (stream.events < kStreamEvents) {
    for (const std::uint32_t node : nodes) {
      stream.add(EventKind::Read, 4, 11, kHeap + node * 32u + 8);
      stream.add(EventKind::Read, 8, 12, kHeap + node * 32u);
    }
  }
  return stream;
}

Stream array_loop() {
  Stream stream;
  while (stream.events < kStreamEvents) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
      stream.add(EventKind::Read, 8, 21, kHeap + i * 8);
      stream.add(EventKind::Read, 8, 22, kHeap + 0x10'0000 + i * 8);
      stream.add(EventKind::Write, 8, 23, kHeap + 0x20'0000 + i * 8);
    }
  }
  return stream;
}

Stream lock_queue(bool values) {
  Stream stream;
  Random random(1);
  const std::uint64_t queue = kHeap + 0x100;
  std::uint64_t tail = 0;
  std::uint32_t thread = 0;
  const auto access = [&](EventKind kind, std::uint32_t site, std::uint64_t object, std::uint64_t value) {
    if (values)
      stream.add(kind, 8, site, object, value);
    else
      stream.add(kind, 8, site, object);
  };
  while (stream.events < kStreamEvents) {
    const std::uint32_t site = 30 + thread * 10;
    stream.add(EventKind::Lock, 0, 0, queue);
    access(EventKind::Read, site, queue + 8, tail);
    access(EventKind::Read, site + 1, queue + 16, kHeap + 0x1000);
    access(EventKind::Write, site + 2, kHeap + 0x1000 + tail % 1024 * 8, random.below(1000));
    access(EventKind::Write, site + 3, queue + 8, ++tail);
    stream.add(EventKind::Unlock, 0, 0, queue);
    if (random.below(4) == 0) {
      thread = 1 - thread;
      stream.words.insert(
          stream.words.end(),
          {format::ring_head(EventKind::Switch, format::kHasValue, 0, static_cast<std::uint32_t>(random.below(100))),
           thread | random.next() << 32, std::uint64_t{site} | std::uint64_t{16} << 32});
      ++stream.events;
    }
  }
  return stream;
}

// Accesses in random order: the worst case.
Stream random_accesses() {
  Stream stream;
  Random random(1);
  while (stream.events < kStreamEvents) {
    stream.add(EventKind::Read, 8, static_cast<std::uint32_t>(random.below(1000)), kHeap + random.below(1u << 28));
  }
  return stream;
}

const Stream& stream_of(std::int64_t shape) {
  static const Stream streams[] = {list_walk(), array_loop(), lock_queue(false), lock_queue(true), random_accesses()};
  return streams[shape];
}

constexpr const char* kShapes[] = {"list_walk", "array_loop", "lock_queue", "lock_queue_values", "random_accesses"};

std::string benchmark_path() { return std::filesystem::temp_directory_path() / "heddle_trace_benchmark.htrace"; }

bool write_stream(const Stream& stream) {
  constexpr std::size_t kDrainWords = 1u << 16;
  Result<TraceWriter> writer = TraceWriter::create(benchmark_path(), {});
  writer->add_module({.begin = 0x5555'0000'0000, .end = 0x5555'0010'0000, .build_id = {}, .path = {}});
  const std::span<const std::uint64_t> words(stream.words);
  for (std::size_t at = 0; at < words.size(); at += kDrainWords) {
    writer->append(words.subspan(at, std::min(kDrainWords, words.size() - at)));
  }
  return writer->finish().ok();
}

void report(benchmark::State& state, const Stream& stream) {
  const auto events = static_cast<double>(stream.events) * static_cast<double>(state.iterations());
  state.counters["events/s"] = benchmark::Counter(events, benchmark::Counter::kIsRate);
  state.counters["s/event"] = benchmark::Counter(events, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.SetLabel(kShapes[state.range(0)]);
}

void write_trace_from_ring(benchmark::State& state) {
  const Stream& stream = stream_of(state.range(0));
  for (auto _ : state)
    if (!write_stream(stream)) return state.SkipWithError("cannot write");
  state.counters["bytes/event"] =
      static_cast<double>(std::filesystem::file_size(benchmark_path())) / static_cast<double>(stream.events);
  report(state, stream);
}
BENCHMARK(write_trace_from_ring)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

void read_trace(benchmark::State& state) {
  const Stream& stream = stream_of(state.range(0));
  if (!write_stream(stream)) return state.SkipWithError("cannot write");
  for (auto _ : state) {
    Result<TraceReader> reader = TraceReader::open(benchmark_path());
    std::uint64_t sum = 0;
    reader->for_each([&](const Event& event) { sum += event.object; });
    benchmark::DoNotOptimize(sum);
  }
  report(state, stream);
}
BENCHMARK(read_trace)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

void find_shared_sites_in_trace(benchmark::State& state) {
  const Stream& stream = stream_of(state.range(0));
  if (!write_stream(stream)) return state.SkipWithError("cannot write");
  for (auto _ : state) {
    Result<TraceReader> reader = TraceReader::open(benchmark_path());
    benchmark::DoNotOptimize(find_shared_sites(*reader));
  }
  report(state, stream);
}
BENCHMARK(find_shared_sites_in_trace)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::trace

BENCHMARK_MAIN();
