// The speed of prediction: traces in the shape of the paper's three large ones (events, threads, variables), and one
// without candidates.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "predict/model/model_builder.h"
#include "predict/predictor.h"
#include "support/temporary_file.h"
#include "trace/file/trace_writer.h"

namespace heddle::predict {
namespace {

using format::EventKind;

struct Shape {
  std::size_t events;
  unsigned threads;
  unsigned variables;
  bool racy;
};

// Workers in a loop: each takes the lock of a variable, reads and writes the variable and its neighbour, and touches
// private memory. One turn in fifty omits the lock, and one update in ten is torn between two sections. Without `racy`
// the workers only read what main wrote before it forked them, and main writes again after it joined them.
class SyntheticTrace {
 public:
  explicit SyntheticTrace(const Shape& shape) : shape_(shape) {
    Result<trace::TraceWriter> writer = trace::TraceWriter::create(path(), {});
    HEDDLE_CHECK(writer.ok());
    writer_.emplace(std::move(*writer));
    add_sites();
    for (unsigned variable = 0; variable < shape.variables; ++variable)
      add(0, EventKind::Write, kShared + 8 * variable, 199);
    for (unsigned thread = 1; thread < shape.threads; ++thread) add(0, EventKind::Fork, thread, 0);
    while (writer_->steps() < shape.events) turn(shape.threads == 1 ? 0 : 1 + below(shape.threads - 1));
    for (unsigned thread = 1; thread < shape.threads; ++thread) add(0, EventKind::Join, thread, 0);
    for (unsigned variable = 0; variable < shape.variables; ++variable)
      add(0, EventKind::Write, kShared + 8 * variable, 181);
    HEDDLE_CHECK(writer_->finish().ok());
  }
  const std::string& path() const { return file_.path(); }

 private:
  static constexpr std::uint32_t kSites = 200;
  static constexpr std::uint64_t kShared = 0x10000, kLocks = 0x80000, kPrivate = 0x100000;

  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  void add_sites() {
    std::vector<trace::TraceSite> sites(kSites);
    for (std::uint32_t site = 1; site <= kSites; ++site) {
      trace::TraceSite& row = sites[site - 1];
      row.id = SiteId{site};
      row.file = "worker.cpp";
      row.line = site;
      row.function = "function_" + std::to_string(site / 8);
    }
    writer_->add_sites(sites);
  }

  void add(unsigned thread, EventKind kind, std::uint64_t object, std::uint32_t site) {
    trace::Event event;
    event.thread = ThreadId{thread};
    event.kind = kind;
    event.object = object;
    event.site = site;
    if (format::is_access(kind)) {
      event.size = 8;
      event.value = random_() % 16;
      event.flags = format::kHasValue;
    }
    writer_->append(event);
  }

  void turn(unsigned thread) {
    const unsigned variable = below(shape_.variables);
    const std::uint64_t shared = kShared + 8 * variable, neighbour = kShared + 8 * (variable ^ 1u);
    const std::uint64_t lock = kLocks + 8 * (variable / 2);
    const std::uint32_t site = 1 + 8 * (variable % 20);
    const bool unlocked = below(50) == 0;
    const bool torn = below(10) == 0;
    const EventKind write = shape_.racy ? EventKind::Write : EventKind::Read;
    if (!unlocked) add(thread, EventKind::Lock, lock, 0);
    add(thread, EventKind::Read, shared, site);
    if (torn && !unlocked) {
      add(thread, EventKind::Unlock, lock, 0);
      add(thread, EventKind::Lock, lock, 0);
    }
    add(thread, write, shared, site + 1);
    add(thread, EventKind::Read, neighbour, site + 2);
    if (below(4) == 0) add(thread, write, neighbour, site + 3);
    if (!unlocked) add(thread, EventKind::Unlock, lock, 0);
    for (unsigned i = below(8); i > 0; --i) add(thread, EventKind::Write, kPrivate + 0x1000 * thread + 8 * i, 190);
  }

  const Shape shape_;
  const TemporaryFile file_;
  std::optional<trace::TraceWriter> writer_;
  std::mt19937 random_{7};
};

void reset_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}
// The peak memory of this process since reset_peak().
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

void run(benchmark::State& state, const Shape& shape) {
  const SyntheticTrace file(shape);
  Predictions predictions;
  std::uint64_t events = 0;
  reset_peak();
  for ([[maybe_unused]] auto _ : state) {
    Result<trace::TraceReader> reader = trace::TraceReader::open(file.path());
    HEDDLE_CHECK(reader.ok());
    const Result<Model> model = build_model(*reader);
    HEDDLE_CHECK(model.ok());
    predictions = predict(*model, {});
    events += model->event_count;
  }
  state.counters["peak_MB"] = peak_megabytes();
  state.counters["events"] = static_cast<double>(shape.events);
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
  state.counters["candidates"] = static_cast<double>(predictions.schedule_seconds.size());
  state.counters["found"] = static_cast<double>(predictions.found.size());
  state.counters["strict"] =
      static_cast<double>(std::ranges::count_if(predictions.found, [](const Prediction& prediction) {
        return prediction.witness.strength == WitnessStrength::Strict;
      }));
  std::vector<double>& times = predictions.schedule_seconds;
  std::ranges::sort(times);
  if (times.empty()) return;
  state.counters["witness_median_ms"] = 1e3 * times[times.size() / 2];
  state.counters["witness_p99_ms"] = 1e3 * times[times.size() * 99 / 100];
}

void no_candidates(benchmark::State& state) { run(state, {4'000'000, 4, 1000, false}); }
void derby(benchmark::State& state) { run(state, {447'000, 4, 99, true}); }
void shape_24_threads(benchmark::State& state) { run(state, {181'000, 24, 185, true}); }
void shape_12_threads(benchmark::State& state) { run(state, {275'000, 12, 307, true}); }

// The same program with ever longer runs.
void growth(benchmark::State& state) { run(state, {static_cast<std::size_t>(state.range(0)), 8, 200, true}); }

BENCHMARK(no_candidates)->Unit(benchmark::kMillisecond);
BENCHMARK(derby)->Unit(benchmark::kMillisecond);
BENCHMARK(shape_24_threads)->Unit(benchmark::kMillisecond);
BENCHMARK(shape_12_threads)->Unit(benchmark::kMillisecond);
BENCHMARK(growth)->RangeMultiplier(10)->Range(100'000, 100'000'000)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace heddle::predict

BENCHMARK_MAIN();
