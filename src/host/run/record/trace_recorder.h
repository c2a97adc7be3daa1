#pragma once
#include <map>
#include <string>
#include <vector>

#include "binary/program_file.h"
#include "run/process/ring_sink.h"
#include "support/result.h"
#include "trace/file/trace_writer.h"

namespace heddle::run {

// Writes the events of a run to a trace file, with the modules and sites that they refer to.
class TraceRecorder : public RingSink {
 public:
  // Creates or truncates `path`.
  static Result<TraceRecorder> create(const std::string& path, const binary::ProgramFile& program,
                                      const std::vector<std::string>& arguments);

  void begin(const format::SessionResult& result) override;
  void consume(std::span<const std::uint64_t> words) override { writer_.append(words); }
  void set_backpressure(bool needed) override {
    using Mode = trace::TraceWriter::CompressionMode;
    writer_.set_compression_mode(needed ? Mode::Fast : Mode::Normal);
  }
  void feed(ScheduleCollector& collector) override {
    writer_.set_record_sink([&collector](const trace::Event& record) { collector.take(record); });
  }
  const std::optional<trace::Problem>& problem() const override { return writer_.decoder().problem(); }
  // Also adds the call sites. Their names come from the debug information, which is too slow to read during the run.
  Status finish(const trace::TraceFailure& failure);
  // Return addresses of the recorded call sites, innermost first.
  const std::map<SiteId, std::vector<std::uint64_t>>& call_sites() const { return call_sites_; }

 private:
  explicit TraceRecorder(trace::TraceWriter writer) : writer_(std::move(writer)) {}

  trace::TraceWriter writer_;
  std::vector<format::ModuleReport> modules_;  // copies: finish() runs after the session is unmapped
  std::map<SiteId, std::vector<std::uint64_t>> call_sites_;
};

}  // namespace heddle::run
