#include "trace/file/table_coder.h"

#include <utility>

#include "trace/file/bytes.h"

namespace heddle::trace {
namespace {

// Calls `row` until the payload ends; false if the last row is incomplete.
template <typename Row>
bool each_row(std::string_view payload, Row&& row) {
  ByteReader reader(payload);
  while (!reader.at_end()) {
    row(reader);
    if (!reader.ok()) return false;
  }
  return true;
}

}  // namespace

void put_header(const TraceHeader& header, std::string& out) {
  put_string(out, header.program);
  put_string(out, header.build_id);
  put_varint(out, header.arguments.size());
  for (const std::string& argument : header.arguments) put_string(out, argument);
}

bool parse_header(std::string_view payload, TraceHeader& header) {
  ByteReader reader(payload);
  TraceHeader read;
  read.program = reader.string();
  read.build_id = reader.string();
  for (std::uint64_t count = reader.varint(); count > 0 && reader.ok(); --count) {
    read.arguments.push_back(reader.string());
  }
  if (!reader.ok() || !reader.at_end()) return false;
  header = std::move(read);
  return true;
}

void put_module(const TraceModule& module, std::string& out) {
  put_varint(out, module.number);
  put_varint(out, module.begin);
  put_varint(out, module.end);
  put_varint(out, module.bias);
  put_varint(out, module.first_site);
  put_varint(out, module.site_count);
  put_string(out, module.build_id);
  put_string(out, module.path);
}

bool parse_modules(std::string_view payload, std::vector<TraceModule>& modules) {
  std::vector<TraceModule> read;
  const bool ok = each_row(payload, [&](ByteReader& reader) {
    TraceModule& module = read.emplace_back();
    module.number = reader.varint_as<std::uint32_t>();
    module.begin = reader.varint();
    module.end = reader.varint();
    module.bias = reader.varint();
    module.first_site = reader.varint_as<std::uint32_t>();
    module.site_count = reader.varint_as<std::uint32_t>();
    module.build_id = reader.string();
    module.path = reader.string();
  });
  if (ok) modules.insert(modules.end(), std::make_move_iterator(read.begin()), std::make_move_iterator(read.end()));
  return ok;
}

void put_site(const TraceSite& site, std::string& out) {
  put_varint(out, number(site.id));
  put_varint(out, site.line);
  put_varint(out, site.column);
  put_varint(out, site.function_line);
  out.push_back(static_cast<char>(site.kind));
  out.push_back(static_cast<char>(site.size));
  put_string(out, site.file);
  put_string(out, site.function);
  put_string(out, site.chain);
  put_string(out, site.name);
}

bool parse_sites(std::string_view payload, std::map<SiteId, TraceSite>& sites) {
  std::vector<TraceSite> read;
  const bool ok = each_row(payload, [&](ByteReader& reader) {
    TraceSite& site = read.emplace_back();
    site.id = SiteId{reader.varint_as<std::uint32_t>()};
    site.line = reader.varint_as<std::uint32_t>();
    site.column = reader.varint_as<std::uint32_t>();
    site.function_line = reader.varint_as<std::uint32_t>();
    site.kind = reader.fixed<std::uint8_t>();
    site.size = reader.fixed<std::uint8_t>();
    site.file = reader.string();
    site.function = reader.string();
    site.chain = reader.string();
    site.name = reader.string();
  });
  if (!ok) return false;
  for (TraceSite& site : read) sites.insert_or_assign(sites.end(), site.id, std::move(site));
  return true;
}

void put_thread(ThreadId thread, const ThreadTable::Row& row, std::string& out) {
  put_varint(out, number(thread));
  put_varint(out, number(row.parent));
  put_varint(out, row.ordinal);
}

bool parse_threads(std::string_view payload, ThreadTable& threads) {
  std::vector<std::pair<ThreadId, ThreadTable::Row>> read;
  const bool ok = each_row(payload, [&](ByteReader& reader) {
    const ThreadId thread{reader.varint_as<std::uint32_t>()};
    const ThreadId parent{reader.varint_as<std::uint32_t>()};
    read.emplace_back(thread, ThreadTable::Row{parent, reader.varint_as<std::uint32_t>()});
  });
  if (!ok) return false;
  for (const auto& [thread, row] : read) threads.add(thread, row.parent, row.ordinal);
  return true;
}

void put_failure(const TraceFailure& failure, std::string& out) {
  put_string(out, failure.outcome);
  for (const ThreadId thread : failure.threads) put_varint(out, number(thread));
}

bool parse_failure(std::string_view payload, TraceFailure& failure) {
  ByteReader reader(payload);
  TraceFailure read;
  read.outcome = reader.string();
  while (reader.ok() && !reader.at_end()) read.threads.push_back(ThreadId{reader.varint_as<std::uint32_t>()});
  if (!reader.ok()) return false;
  failure = std::move(read);
  return true;
}

void put_index_entry(const ChunkEntry& entry, std::string& out) {
  put_fixed<std::uint64_t>(out, entry.offset);
  put_chunk_head(entry.head, out);
}

bool parse_index(std::string_view payload, std::vector<ChunkEntry>& entries) {
  std::vector<ChunkEntry> read;
  bool heads_ok = true;
  const bool ok = each_row(payload, [&](ByteReader& reader) {
    ChunkEntry entry;
    entry.offset = reader.fixed<std::uint64_t>();
    const std::optional<ChunkHead> head = parse_chunk_head(reader.bytes(kChunkHeadSize));
    heads_ok = heads_ok && head.has_value();
    if (head) entry.head = *head;
    read.push_back(entry);
  });
  if (!ok || !heads_ok) return false;
  entries = std::move(read);
  return true;
}

}  // namespace heddle::trace
