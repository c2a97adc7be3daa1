#pragma once
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

// Numbers threads by descent name, in the order of their first appearance.
class ThreadNumbers {
 public:
  ThreadId number_of(const std::string& name);
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, ThreadId> numbers_;
};

// All events of one execution. A thread has the same number in all recordings of one program.
struct Recording {
  trace::TraceTables tables;
  std::vector<trace::Event> events;
  std::vector<std::uint64_t> done;  // by event: points of its thread up to and including it
  std::vector<ThreadId> choices;    // the woken threads, in order
  run::RunReport report;
  std::map<std::string, std::uint64_t> awaited;  // by thread that waits at the end: the object
};

// Completes a recording that has the tables and events of a trace: replaces the trace's thread numbers by `numbers`,
// which learns new threads, and fills in `done` and `choices`.
void complete_recording(Recording& recording, ThreadNumbers& numbers);

// Reads a trace file and completes it.
Result<Recording> read_recording(const std::string& path, run::RunReport report, ThreadNumbers& numbers);

using trace::HeldLock;
using trace::HeldLocks;
using trace::is_point;

// The locks of all threads before the event, and those of the event's thread.
HeldLocks locks_before(const Recording& recording, std::size_t event);
std::vector<HeldLock> locks_at(const Recording& recording, std::size_t event);

// The number of the event's point, or of its thread's last point before it, among all points of the run in the order in
// which threads arrived at them, from 1. The event can be much later than the arrival, if the thread was preempted.
std::uint64_t step_of(const Recording& recording, std::size_t event);

}  // namespace heddle::explain
