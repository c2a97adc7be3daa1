#pragma once
// The STD text format of predictive analysers: `thread|op|location` a line, where op is r(x) w(x)
// acq(l) rel(l) fork(t) join(t) begin end. It knows neither sizes nor atomics, so that an export
// says less than the trace:
//
//   - an access is to the variable at its first byte, one of more than 8 bytes to a variable for
//   every 8 of them;
//   - an atomic access stands inside acq and rel of a lock of its own; nobody then takes it for a
//   data race;
//   - of a recursive lock only the outermost acq and rel are there;
//   - a read lock, and every other synchronisation, is an empty critical section where it begins
//   and where it ends:
//     it orders, and excludes nobody;
//   - fences, allocations, switches and what has no counterpart are left out.
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "trace/trace.h"

namespace heddle::trace {

// Names that an imported trace gives to its threads, variables and locks. Others are called by
// descent and by address.
struct StdNames {
  std::map<ThreadId, std::string> threads;
  std::map<std::uint64_t, std::string> objects;
};

struct StdTrace {
  Trace trace;  // a location is the file of a site without a line
  StdNames names;
};

// A malformed line is an error with its number.
Result<StdTrace> import_std(std::string_view text);

class StdExporter {
 public:
  StdExporter(const TraceTables& tables, const StdNames& names, std::ostream& out)
      : tables_(tables), names_(names), out_(out) {}

  // Fails when a name holds '|' or a line end, which the format cannot say.
  Status add(const Event& event);

 private:
  struct Held {
    ThreadId owner;
    std::uint32_t depth;
  };

  void access(const Event& event);
  void lock(const Event& event);
  void acquire(const Event& event);
  void release(const Event& event);
  void order(const Event& event, const std::string& lock);
  void thread(const Event& event);
  void line(const Event& event, std::string_view op, std::string_view operand);
  std::string object_name(const Event& event, std::uint64_t offset = 0) const;
  std::string thread_name(ThreadId thread) const;
  std::string location(const Event& event) const;

  const TraceTables& tables_;
  const StdNames& names_;
  std::ostream& out_;
  std::map<std::uint64_t, Held> held_;
  std::string problem_;
};

Status export_std(TraceReader& reader, std::ostream& out);

}  // namespace heddle::trace
