#pragma once
// One execution with everything that happened in it. Threads have the same numbers in all recordings of one program.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "run/record/run_report.h"
#include "support/result.h"
#include "trace/event.h"
#include "trace/sharing/held_locks.h"
#include "trace/tables.h"

namespace heddle::explain {

// Numbers for threads by descent name, in the order in which they were first heard of.
class ThreadNumbers {
 public:
  ThreadId number_of(const std::string& name);
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, ThreadId> numbers_;
};

struct Recording {
  trace::TraceTables tables;
  std::vector<trace::Event> events;
  // By event: how many points its thread has done with it.
  std::vector<std::uint64_t> done;
  std::vector<ThreadId> choices;  // who was woken, in order
  run::RunReport report;
  std::map<std::string, std::uint64_t> awaited;  // by thread that waited at the end: the object
};

// From events as a trace has them: gives threads the numbers of `numbers`, which learns those it does not know, and
// fills in what is counted. REQUIRES: tables and events are those of a trace.
void complete_recording(Recording& recording, ThreadNumbers& numbers);

// Reads a trace file; `numbers` learns its threads.
Result<Recording> read_recording(const std::string& path, run::RunReport report, ThreadNumbers& numbers);

using trace::HeldLock;
using trace::HeldLocks;
using trace::is_point;

// The locks of the event's thread right before it.
std::vector<HeldLock> locks_at(const Recording& recording, std::size_t event);

// Which of all points of the run, counted from 1 as they were come to, is that of the event or the last one of its
// thread before it. A thread may be stopped at a point, and do what it has come for much later.
std::uint64_t step_of(const Recording& recording, std::size_t event);

}  // namespace heddle::explain
