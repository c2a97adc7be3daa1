#pragma once
// Traces as text: a line for each row of the tables and each event. For people, and for tests whose
// inputs are traces.
//
//   3 t0 write 0x2000 size=4 site=5 value=0x4d          step, thread, kind, object, and what is not
//   0 4 t0 switch t1 points=9 check=0xabcd preemption 5 t1 read m2+0x40 size=4 site=7 #
//   counter.cpp:12:3 increment
//
// An object is an address, a module and an offset in it, or a thread. What follows " # " is for the
// eye only.
#include <iosfwd>
#include <string>
#include <string_view>

#include "support/result.h"
#include "trace/trace.h"

namespace heddle::trace {

std::string object_text(format::EventKind kind, std::uint64_t object);

std::string event_text(const Event& event);
Result<Event> parse_event_text(std::string_view line);

// Where the site is, for comments and messages: "file:line:column function"; empty when it is not
// known.
std::string place_text(const TraceTables& tables, SiteId site);
// The event with its place as a comment.
std::string described_event_text(const Event& event, const TraceTables& tables);

// parse_trace_text(trace_text(t)) == t. An error names its line.
std::string trace_text(const Trace& trace);
Result<Trace> parse_trace_text(std::string_view text);

// The tables, then the events with their places.
void write_tables_text(const TraceTables& tables, std::ostream& out);
void write_events_text(TraceReader& reader, StepIndex first, StepIndex count_max, std::ostream& out);

}  // namespace heddle::trace
