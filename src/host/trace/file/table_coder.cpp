#include "trace/file/table_coder.h"

#include <concepts>
#include <utility>

#include "support/bytes.h"

namespace heddle::trace {
namespace {

// visit_*() calls `field` for each field of a row in the order of the file, to write (FieldWriter) or read it
// (FieldReader).
void visit_module(auto& module, auto&& field) {
  field(module.number);
  field(module.begin);
  field(module.end);
  field(module.bias);
  field(module.first_site);
  field(module.site_count);
  field(module.build_id);
  field(module.path);
}

void visit_site(auto& site, auto&& field) {
  field(site.id);
  field(site.line);
  field(site.column);
  field(site.function_line);
  field(site.kind);
  field(site.size);
  field(site.file);
  field(site.function);
  field(site.chain);
  field(site.name);
}

void visit_thread(auto& thread, auto& row, auto&& field) {
  field(thread);
  field(row.parent);
  field(row.ordinal);
}

struct FieldWriter {
  std::string& out;

  void operator()(std::uint8_t value) const { put_fixed(out, value); }
  void operator()(std::unsigned_integral auto value) const { put_varint(out, value); }
  void operator()(const std::string& text) const { put_string(out, text); }
  void operator()(auto id) const { put_varint(out, number(id)); }
};

struct FieldReader {
  ByteReader& in;

  void operator()(std::uint8_t& value) const { value = in.fixed<std::uint8_t>(); }
  void operator()(std::unsigned_integral auto& value) const {
    value = in.varint_as<std::remove_reference_t<decltype(value)>>();
  }
  void operator()(std::string& text) const { text = in.string(); }
  void operator()(auto& id) const { id = std::remove_reference_t<decltype(id)>{in.varint_as<std::uint32_t>()}; }
};

// Calls `read(reader)` until the payload ends; false if the last row is incomplete.
template <typename Read>
bool each_row(std::string_view payload, Read&& read) {
  ByteReader reader(payload);
  while (!reader.at_end()) {
    read(reader);
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

void put_module(const TraceModule& module, std::string& out) { visit_module(module, FieldWriter{out}); }

bool parse_modules(std::string_view payload, std::vector<TraceModule>& modules) {
  std::vector<TraceModule> read;
  if (!each_row(payload, [&](ByteReader& in) { visit_module(read.emplace_back(), FieldReader{in}); })) return false;
  modules.insert(modules.end(), std::make_move_iterator(read.begin()), std::make_move_iterator(read.end()));
  return true;
}

void put_site(const TraceSite& site, std::string& out) { visit_site(site, FieldWriter{out}); }

bool parse_sites(std::string_view payload, std::map<SiteId, TraceSite>& sites) {
  std::vector<TraceSite> read;
  if (!each_row(payload, [&](ByteReader& in) { visit_site(read.emplace_back(), FieldReader{in}); })) return false;
  for (TraceSite& site : read) sites.insert_or_assign(sites.end(), site.id, std::move(site));
  return true;
}

void put_thread(ThreadId thread, const ThreadTable::Row& row, std::string& out) {
  visit_thread(thread, row, FieldWriter{out});
}

bool parse_threads(std::string_view payload, ThreadTable& threads) {
  std::vector<std::pair<ThreadId, ThreadTable::Row>> read;
  const bool ok = each_row(payload, [&](ByteReader& in) {
    auto& [thread, row] = read.emplace_back();
    visit_thread(thread, row, FieldReader{in});
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
