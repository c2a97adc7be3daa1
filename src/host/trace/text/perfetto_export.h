#pragma once
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/file/trace_reader.h"

namespace heddle::trace {

// Writes Chrome's JSON trace format, for Perfetto and chrome://tracing: a slice for each turn of a thread, an instant
// for each synchronisation, and arrows from fork to begin, from exit to join and from unlock to the next lock by
// another thread. Does not show accesses. One step is one microsecond. Streams the events, and keeps only the points at
// which an arrow may begin.
class PerfettoExporter {
 public:
  PerfettoExporter(const TraceTables& tables, std::ostream& out);
  void add(const Event& event);
  // Ends the document. REQUIRES: called once, last.
  void finish();

 private:
  struct Point {
    ThreadId thread;
    StepIndex step;
  };
  struct Slice {
    ThreadId thread;
    StepIndex begin;
    StepIndex end;  // one more than its last step
    std::string name;
  };

  void begin_record();
  void end_slice();
  void arrows_of(const Event& event);
  void instant(const Event& event);
  void arrow(std::string_view name, const Point& from, const Point& to);
  void name_thread(ThreadId thread);

  const TraceTables& tables_;
  std::ostream& out_;
  bool first_record_ = true;
  bool slice_open_ = false;
  Slice slice_{};
  std::uint64_t arrows_ = 0;
  std::unordered_map<std::uint64_t, Point> unlocked_;  // by object
  std::map<ThreadId, Point> forked_;
  std::map<ThreadId, Point> ended_;
};

void export_perfetto(TraceReader& reader, std::ostream& out);

}  // namespace heddle::trace
