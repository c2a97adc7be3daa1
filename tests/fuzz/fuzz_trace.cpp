// Reads any bytes as a trace. Checksums reject most mutated files early, so the bytes also go directly to the readers
// behind them: the columns of an events chunk, the rows of the tables, and the two text forms.
#include <cstdint>
#include <string>
#include <string_view>

#include "support/bytes.h"
#include "support/check.h"
#include "trace/file/event_decoder.h"
#include "trace/file/table_coder.h"
#include "trace/sharing/shared_sites.h"
#include "trace/text/std_form.h"
#include "trace/text/text_form.h"

namespace heddle::trace {
namespace {

void read_file_bytes(std::string_view bytes) {
  Result<TraceReader> reader = TraceReader::open(make_memory_source(std::string(bytes)), "input");
  if (reader.ok()) read_all(*reader);
}

void decode_events(std::string_view bytes) {
  ByteReader count(bytes);
  ChunkHead head;
  head.event_count = count.fixed<std::uint32_t>() % (kEventsPerChunk + 1);
  if (!count.ok()) return;
  EventDecoder decoder;
  if (!decoder.begin(head, std::string(count.bytes(count.left())))) return;
  Event events[64];
  SharedSiteFinder shared;
  while (decoder.ok() && decoder.left() > 0) {
    const std::size_t decoded = decoder.decode(events);
    for (std::size_t i = 0; i < decoded; ++i) {
      const Result<Event> again = parse_event_text(event_text(events[i]));
      HEDDLE_CHECK(again.ok() && *again == events[i]);
      // Skips large ranges and site numbers, which only take time.
      if (access_size(events[i]) < 64 && events[i].site < 1000) shared.add(events[i]);
    }
  }
  shared.result();
}

void parse_tables(std::string_view bytes) {
  TraceTables tables;
  std::vector<ChunkEntry> entries;
  parse_header(bytes, tables.header);
  parse_modules(bytes, tables.modules);
  parse_sites(bytes, tables.sites);
  parse_threads(bytes, tables.threads);
  parse_index(bytes, entries);
  for (const auto& [thread, row] : tables.threads.rows()) tables.threads.name(thread);
}

void parse_text(std::string_view bytes) {
  if (const Result<Trace> trace = parse_trace_text(bytes); trace.ok()) {
    const Result<Trace> again = parse_trace_text(trace_text(*trace));
    HEDDLE_CHECK(again.ok() && *again == *trace);
  }
  (void)import_std(bytes);
}

}  // namespace
}  // namespace heddle::trace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with(heddle::trace::kTraceMagic)) {
    heddle::trace::read_file_bytes(bytes);
    return 0;
  }
  heddle::trace::decode_events(bytes);
  heddle::trace::parse_tables(bytes);
  heddle::trace::parse_text(bytes);
  return 0;
}
