#pragma once
// The tables to which the numbers in events refer.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "trace/thread_table.h"

namespace heddle::trace {

struct TraceHeader {
  std::string program;
  std::vector<std::string> arguments;  // without the program name
  std::string build_id;                // hex
  bool operator==(const TraceHeader&) const = default;
};

struct TraceModule {
  std::uint32_t number = 0;  // as in objects
  std::uint64_t begin = 0;   // where it was loaded in this run
  std::uint64_t end = 0;
  std::uint64_t bias = 0;        // address minus address in the file
  std::uint32_t first_site = 0;  // 0: not instrumented
  std::uint32_t site_count = 0;
  std::string build_id;  // hex
  std::string path;
  bool operator==(const TraceModule&) const = default;
};

struct TraceSite {
  SiteId id = kNoSite;
  std::string file;
  std::uint32_t line = 0;  // 0: unknown
  std::uint32_t column = 0;
  std::string function;  // linkage name
  std::uint32_t function_line = 0;
  std::uint8_t kind = 0;  // as in HeddleSite: HeddleSiteKind | HeddleMemoryOrder << 4
  std::uint8_t size = 0;
  std::string chain;  // inline chain; empty: not inlined
  std::string name;   // whole name (abi/site_name.h): the identity of a site between builds
  bool operator==(const TraceSite&) const = default;
};

// The failure of the run and the threads that failed. No outcome: the run did not fail, or was killed with its
// recorder.
struct TraceFailure {
  std::string outcome;  // as in reports and clips
  std::vector<ThreadId> threads;
  bool operator==(const TraceFailure&) const = default;
};

struct TraceTables {
  TraceHeader header;
  std::vector<TraceModule> modules;
  std::map<SiteId, TraceSite> sites;
  ThreadTable threads;
  TraceFailure failure;

  const TraceSite* find_site(SiteId id) const {
    const auto site = sites.find(id);
    return site == sites.end() ? nullptr : &site->second;
  }
  bool operator==(const TraceTables&) const = default;
};

}  // namespace heddle::trace
