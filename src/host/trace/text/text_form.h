#pragma once
// Traces as text, for people and for the input of tests: one line for each row of the tables and each event. An event
// has its step, thread, kind and object, and the fields that are not 0:
//
//   3 t0 write 0x2000 size=4 site=5 value=0x4d
//   4 t0 switch t1 points=9 check=0xabcd preemption
//   5 t1 read m2+0x40 size=4 site=7 # counter.cpp:12:3 increment
//
// An object is an address, a module with an offset, or a thread. The text after " # " is a comment.
#include <iosfwd>
#include <string>
#include <string_view>

#include "support/result.h"
#include "trace/trace.h"

namespace heddle::trace {

std::string object_text(format::EventKind kind, std::uint64_t object);

std::string event_text(const Event& event);
Result<Event> parse_event_text(std::string_view line);

// The location of the site: "file:line:column function"; empty if unknown.
std::string place_text(const TraceTables& tables, SiteId site);
// The event with its location as a comment.
std::string described_event_text(const Event& event, const TraceTables& tables);

// INVARIANT: parse_trace_text(trace_text(t)) == t. An error names the line.
std::string trace_text(const Trace& trace);
Result<Trace> parse_trace_text(std::string_view text);

void write_tables_text(const TraceTables& tables, std::ostream& out);
void write_events_text(TraceReader& reader, StepIndex first, StepIndex count_max, std::ostream& out);

}  // namespace heddle::trace
