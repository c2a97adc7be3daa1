#pragma once
// Converts predicted schedules for the scheduler. A prediction refers to events of a trace, but a run can only be
// preempted at scheduling points. Every access is one; format::kPoint marks the others.
#include <cstdint>
#include <string>
#include <vector>

#include "format/run_inputs.h"
#include "predict/predictor.h"
#include "support/result.h"
#include "trace/file/trace_reader.h"

namespace heddle::validate {

// Counts the scheduling points that each thread has passed, event by event.
class PointCounter {
 public:
  // `main_passed`: points of main before the first event.
  explicit PointCounter(std::uint64_t main_passed = 0) : passed_(1, main_passed) {}
  // True if the event is a point. REQUIRES: called for every event in order.
  bool add(ThreadId thread, format::EventKind kind, std::uint8_t flags);
  std::uint64_t passed(ThreadId thread) const { return number(thread) < passed_.size() ? passed_[number(thread)] : 0; }

 private:
  std::vector<std::uint64_t> passed_;
};

// An event of an anomaly in terms that identify it in another run.
struct ExpectedEvent {
  std::uint64_t descent = 0;
  std::uint32_t site = 0;    // 0: a synchronisation, because call sites have different numbers in every run
  std::uint64_t visit = 0;   // accesses of this kind by its thread there, this one included
  std::uint64_t passed = 0;  // points of its thread, this one included
  format::EventKind kind{};
  std::uint64_t object = 0;  // in the trace
};

struct GuidedSchedule {
  std::vector<format::ReplayRun> runs;  // threads: index into Schedules::descents
  std::vector<ExpectedEvent> anomaly;   // in the expected order
  bool adjacent = false;                // without a point in between
};

// The schedules of many predictions from one trace.
struct Schedules {
  std::vector<std::uint64_t> descents;
  std::vector<std::string> names;       // descent names of these threads
  std::vector<std::uint32_t> choices;   // threads that the recorded run woke, in order; index into descents
  std::vector<GuidedSchedule> forward;  // one for each prediction
  std::vector<GuidedSchedule> reverse;  // with the last two events exchanged; no runs unless it is a race
};

// Points are counted from the beginning of each thread (GuidedStrategy::Inputs::totals). One pass over the trace; keeps
// the runs of the longest prefix in memory.
Result<Schedules> make_schedules(trace::TraceReader& reader, const std::vector<predict::Prediction>& predictions);

}  // namespace heddle::validate
