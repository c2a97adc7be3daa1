#pragma once
// The STD text format of predictive analysers: one line `thread|op|location` for each event, where op is r(x) w(x)
// acq(l) rel(l) fork(t) join(t) begin end. It has neither sizes nor atomics, so that an export loses information:
//
//   - an access names the variable at its first byte; an access of more than 8 bytes becomes one for each 8 bytes;
//   - an atomic access lies between acq and rel of a separate lock, so that an analyser does not report a data race;
//   - a recursive lock has only its outermost acq and rel;
//   - a read lock, and every other synchronisation, is an empty critical section at its beginning and at its end, which
//     orders events without excluding any thread;
//   - fences, allocations, switches and other events without a counterpart are omitted.
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>

#include "support/result.h"
#include "trace/trace.h"

namespace heddle::trace {

// The names of threads, variables and locks in an imported trace. Other threads are named by descent, other objects by
// address.
struct StdNames {
  std::map<ThreadId, std::string> threads;
  std::map<std::uint64_t, std::string> objects;
};

struct StdTrace {
  Trace trace;  // each location becomes the file name of a site
  StdNames names;
};

// A malformed line is an error with its number.
Result<StdTrace> import_std(std::string_view text);

class StdExporter {
 public:
  StdExporter(const TraceTables& tables, const StdNames& names, std::ostream& out)
      : tables_(tables), names_(names), out_(out) {}

  // Fails if a name contains '|' or a line end, which the format cannot represent.
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
