#pragma once
// The payloads of all chunks but events. put_*() appends one row. parse_*() reads a whole payload; for a malformed one
// it returns false and adds nothing.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/file/chunk.h"
#include "trace/tables.h"

namespace heddle::trace {

struct ChunkEntry {
  std::uint64_t offset = 0;
  ChunkHead head;
};

void put_header(const TraceHeader& header, std::string& out);
void put_module(const TraceModule& module, std::string& out);
void put_site(const TraceSite& site, std::string& out);
void put_thread(ThreadId thread, const ThreadTable::Row& row, std::string& out);
void put_failure(const TraceFailure& failure, std::string& out);
void put_index_entry(const ChunkEntry& entry, std::string& out);

bool parse_header(std::string_view payload, TraceHeader& header);
bool parse_modules(std::string_view payload, std::vector<TraceModule>& modules);
bool parse_sites(std::string_view payload, std::map<SiteId, TraceSite>& sites);
bool parse_threads(std::string_view payload, ThreadTable& threads);
bool parse_failure(std::string_view payload, TraceFailure& failure);
bool parse_index(std::string_view payload, std::vector<ChunkEntry>& entries);

}  // namespace heddle::trace
