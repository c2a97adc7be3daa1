#include <algorithm>
#include <future>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "binary/elf_file.h"
#include "binary/sections/site_table.h"
#include "slice/failure_slice.h"
#include "support/duration.h"
#include "trace/file/trace_reader.h"

namespace heddle::slice {
namespace {

// The result of the recorded run, of which only the modules are known.
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
    const Result<binary::ElfFile> file = binary::ElfFile::open(module.path);
    if (!file) return file.error();
    if (file->build_id() != module.build_id)
      return Error{module.path + " has been rebuilt since the recording; record it again with --flow"};
  }
  return ok_status();
}

// A single chunk is worth a thread.
std::uint32_t count_parts(std::size_t chunks) {
  const auto useful = static_cast<std::uint32_t>(std::min<std::size_t>(chunks, kPartsMax));
  return std::max(std::min(std::thread::hardware_concurrency(), useful), 1u);
}

std::vector<std::uint64_t> module_begins(const trace::TraceTables& tables) {
  std::vector<std::uint64_t> begins(trace::kModuleNumbers);
  for (const trace::TraceModule& module : tables.modules) begins[module.number % begins.size()] = module.begin;
  return begins;
}

// Logs the trace, one thread per part. Fails if the trace is damaged. False if it has to be logged in one part.
Result<bool> log_in_parts(const std::string& path, std::uint32_t count, const format::SessionResult& result,
                          Slicer& slicer) {
  std::vector<trace::TraceReader> readers;
  std::vector<ExecutionPart*> parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    Result<trace::TraceReader> reader = trace::TraceReader::open(path);
    if (!reader) return reader.error();
    readers.push_back(std::move(*reader));
    parts.push_back(i == 0 ? &slicer.first_part() : &slicer.add_part());
    parts.back()->catalog().begin(result);
    parts.back()->set_module_begins(module_begins(readers.back().tables()));
  }
  const std::size_t chunks = readers.front().chunk_count();
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        parts[i]->catalog().learn_modules();
        readers[i].visit_chunks(chunks * i / count, chunks * (i + 1) / count, *parts[i]);
      });
    }
  }
  for (const trace::TraceReader& reader : readers)
    if (!reader.problems().empty()) return Error{path + ": " + reader.problems().front().message};
  return slicer.join_parts();
}

}  // namespace

Result<FailureSlice> slice_trace(const std::string& path) {
  Result<trace::TraceReader> reader = trace::TraceReader::open(path);
  if (!reader) return reader.error();
  const trace::TraceTables& tables = reader->tables();
  if (!reader->problems().empty()) return Error{path + ": " + reader->problems().front().message};
  if (tables.failure.outcome.empty()) return Error{path + " is the trace of a run that did not fail"};
  if (Status same = check_builds(tables); !same) return same.error();

  const std::unique_ptr<format::SessionResult> result = result_of(tables);
  auto slicer = std::make_unique<Slicer>();
  Result<bool> logged = log_in_parts(path, count_parts(reader->chunk_count()), *result, *slicer);
  if (logged && !*logged) {
    slicer = std::make_unique<Slicer>();
    logged = log_in_parts(path, 1, *result, *slicer);
  }
  if (!logged) return logged.error();
  if (!slicer->has_flow())
    return Error{path +
                 " has no record of data flow; build with HEDDLE_HOOKS=branches heddle-c++ and record with --flow"};
  std::vector<std::uint32_t> failed;
  for (const ThreadId thread : tables.failure.threads) {
    if (thread != kMainThread && !tables.threads.rows().contains(thread))
      return Error{path + ": the failing thread was never started"};
    failed.push_back(number(thread));
  }
  // Names are read in parallel, because the backward pass uses one processor.
  std::future<binary::SiteTable> sites = std::async(std::launch::async, [&result] {
    binary::SiteTable table(*result);
    table.for_each([](std::uint32_t, const binary::Site&) {});
    return table;
  });
  const double before = thread_seconds();
  const Slice slice = slicer->slice(failed);
  const double after = thread_seconds();
  binary::SiteTable names = sites.get();
  FailureSlice described = describe(slice, names);
  described.outcome = tables.failure.outcome;
  described.records = slicer->records();
  described.slicing_seconds = process_seconds();
  described.backward_seconds = after - before;
  for (const auto& [thread, relevant] : slice.relevant_threads)
    described.threads.push_back({tables.threads.name(ThreadId{thread}), relevant});
  return described;
}

}  // namespace heddle::slice
