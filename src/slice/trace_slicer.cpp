#include "slice/trace_slicer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <semaphore>
#include <thread>

#include "run/elf_file.h"
#include "slice/slicer.h"
#include "trace/ring_encoder.h"
#include "trace/trace_reader.h"

namespace heddle::slice {
namespace {

// Reads ahead in a thread of its own: it takes about as long to decode a trace as to log what it tells.
class ReadAhead {
 public:
  explicit ReadAhead(trace::TraceReader& reader) : thread_([this, &reader] { read(reader); }) {}
  ~ReadAhead() {
    stopped_ = true;  // in case that not all of it was told
    free_.release();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // To the end. REQUIRES: once.
  void tell(Slicer& slicer) {
    for (std::size_t at = 0;; ++at) {
      filled_.acquire();
      const Buffer& buffer = buffers_[at % kBuffers];
      if (buffer.count == 0) return;
      slicer.consume(std::span(buffer.words).first(buffer.count));
      free_.release();
    }
  }

 private:
  // Together they stay in the cache of the processor that reads ahead until the other one wants them.
  static constexpr std::size_t kBuffers = 4;
  static constexpr std::size_t kWordsOfBuffer = std::size_t{1} << 14;
  struct Buffer {
    std::vector<std::uint64_t> words = std::vector<std::uint64_t>(kWordsOfBuffer);
    std::size_t count = 0;
  };

  void read(trace::TraceReader& reader) {
    trace::RingEncoder encoder(reader.tables().modules);
    std::span<const trace::Event> events = reader.next();
    for (std::size_t at = 0;; ++at) {
      free_.acquire();
      if (stopped_) return;
      Buffer& buffer = buffers_[at % kBuffers];
      buffer.count = 0;
      while (!events.empty()) {
        const std::size_t room = (kWordsOfBuffer - buffer.count) / trace::RingEncoder::kWordsMax;
        if (room == 0) break;
        const std::size_t taken = std::min(room, events.size());
        buffer.count += encoder.encode(events.first(taken), buffer.words.data() + buffer.count);
        events = events.subspan(taken);
        if (events.empty()) events = reader.next();
      }
      const bool is_end = buffer.count == 0;
      filled_.release();
      if (is_end) return;
    }
  }

  std::array<Buffer, kBuffers> buffers_;
  std::counting_semaphore<kBuffers> free_{kBuffers}, filled_{0};
  std::atomic<bool> stopped_ = false;
  std::thread thread_;  // the last to be made: it uses all the others
};

// As the run has reported its modules.
std::unique_ptr<format::SessionResult> result_of(const trace::TraceTables& tables) {
  auto result = std::make_unique<format::SessionResult>();
  for (const trace::TraceModule& module : tables.modules) {
    if (module.number >= format::kModulesMax) continue;
    format::ModuleReport& report = result->modules[module.number];
    report.begin = module.begin;
    report.end = module.end;
    report.bias = module.bias;
    report.first_site = module.first_site;
    report.site_count = module.site_count;
    module.path.copy(report.path, sizeof report.path - 1);
    result->module_count = std::max(result->module_count, module.number + 1);
  }
  return result;
}

Status check_builds(const trace::TraceTables& tables) {
  for (const trace::TraceModule& module : tables.modules) {
    if (module.first_site == 0) continue;
    const Result<run::ElfFile> file = run::ElfFile::open(module.path);
    if (!file) return file.error();
    if (file->build_id() != module.build_id)
      return Error{module.path + " is not the build that was recorded; record it anew with --flow"};
  }
  return done();
}

}  // namespace

Result<FailureSlice> slice_trace(const std::string& path) {
  Result<trace::TraceReader> reader = trace::TraceReader::open(path);
  if (!reader) return reader.error();
  const trace::TraceTables& tables = reader->tables();
  if (!reader->problems().empty()) return Error{path + ": " + reader->problems().front().message};
  if (tables.failure.outcome.empty()) return Error{path + " is the trace of a run that has not failed"};
  if (Status same = check_builds(tables); !same) return same.error();

  const std::unique_ptr<format::SessionResult> result = result_of(tables);
  Slicer slicer;
  slicer.begin(*result);
  ReadAhead(*reader).tell(slicer);
  if (!reader->problems().empty()) return Error{path + ": " + reader->problems().front().message};
  if (!slicer.has_flow())
    return Error{path +
                 " does not tell how values flow; build with HEDDLE_HOOKS=branches heddle-c++ and record with --flow"};
  std::vector<std::uint32_t> failed;
  for (const ThreadId thread : tables.failure.threads) {
    if (thread != kMainThread && !tables.threads.rows().contains(thread))
      return Error{path + ": a thread has failed that was never started"};
    failed.push_back(number(thread));
  }
  const double before = thread_seconds();
  const Slice slice = slicer.slice(failed);
  const double after = thread_seconds();
  FailureSlice described = describe(slice, *result);
  described.outcome = tables.failure.outcome;
  described.records = slicer.records();
  described.slicing_seconds = process_seconds();
  described.backward_seconds = after - before;
  for (const auto& [thread, relevant] : slice.relevant_threads)
    described.threads.push_back({tables.threads.name(ThreadId{thread}), relevant});
  return described;
}

}  // namespace heddle::slice
