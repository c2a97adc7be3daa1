#include "trace/trace.h"

namespace heddle::trace {

Trace read_all(TraceReader& reader) {
  Trace trace;
  trace.tables = reader.tables();
  for (std::span<const Event> events = reader.next(); !events.empty(); events = reader.next()) {
    trace.events.insert(trace.events.end(), events.begin(), events.end());
  }
  return trace;
}

Status write_trace(const std::string& path, const Trace& trace) {
  Result<TraceWriter> writer = TraceWriter::create(path, trace.tables.header);
  if (!writer) return writer.error();
  for (const TraceModule& module : trace.tables.modules) writer->add_module(module);
  std::vector<TraceSite> sites;
  for (const auto& [id, site] : trace.tables.sites) sites.push_back(site);
  writer->add_sites(sites);
  for (const auto& [thread, row] : trace.tables.threads.rows()) writer->add_thread(thread, row);
  for (const Event& event : trace.events) writer->append(event);
  if (!trace.tables.failure.outcome.empty()) writer->add_failure(trace.tables.failure);
  return writer->finish();
}

}  // namespace heddle::trace
