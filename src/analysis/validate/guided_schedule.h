#pragma once
// A predicted schedule in the terms of the scheduler. A prediction speaks of events of a trace; a run is stopped at
// scheduling points. Every access is one; of other events format::kPoint says it.
#include <cstdint>
#include <string>
#include <vector>

#include "format/run_inputs.h"
#include "predict/predictor.h"
#include "support/result.h"
#include "trace/file/trace_reader.h"

namespace heddle::validate {

// Counts, event by event in the order of a run, how many scheduling points each thread has put behind it.
class PointCounter {
 public:
  // `main_passed`: what main has made before.
  explicit PointCounter(std::uint64_t main_passed = 0) : passed_(1, main_passed) {}
  // Whether it was one. REQUIRES: called for every event in order.
  bool add(ThreadId thread, format::EventKind kind, std::uint8_t flags);
  std::uint64_t passed(ThreadId thread) const { return number(thread) < passed_.size() ? passed_[number(thread)] : 0; }

 private:
  std::vector<std::uint64_t> passed_;
};

// An event of an anomaly as it will be known in another run: thread by descent, and place.
struct ExpectedEvent {
  std::uint64_t descent = 0;
  std::uint32_t site = 0;    // 0: a synchronisation; places of calls have other numbers in every run
  std::uint64_t visit = 0;   // how often its thread has done this kind of access there, this time included
  std::uint64_t passed = 0;  // how many points its thread has passed, this one included
  format::EventKind kind{};
  std::uint64_t object = 0;  // in the trace
};

struct GuidedSchedule {
  std::vector<format::ReplayRun> runs;  // threads: index into Schedules::descents
  std::vector<ExpectedEvent> anomaly;   // in the order in which they are to happen
  bool adjacent = false;                // with nothing in between
};

// The schedules of many predictions from one trace.
struct Schedules {
  std::vector<std::uint64_t> descents;
  std::vector<std::string> names;       // of those threads, for people
  std::vector<std::uint32_t> choices;   // whom the recorded run woke, in order; index into descents
  std::vector<GuidedSchedule> forward;  // one for each prediction
  std::vector<GuidedSchedule>
      reverse;  // the same with the last two events in the other order; empty where there is none
};

// Points are counted from the beginning of each thread (GuidedStrategy::Inputs::totals). One pass over the trace, in
// memory for the runs of its longest prefix.
Result<Schedules> make_schedules(trace::TraceReader& reader, const std::vector<predict::Prediction>& predictions);

}  // namespace heddle::validate
