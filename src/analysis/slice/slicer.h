#pragma once
// Dynamic multithreaded slicing (LEAN, Algorithm 3), exact to the instruction. Related analyses:
// coredump/search/dependence_distance.h measures how far an event is from the failure,
// shrink/profile/execution_reduction.h follows dependences between threads only.
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "run/process/ring_sink.h"
#include "slice/backward/backward_pass.h"
#include "slice/log/execution_part.h"
#include "slice/log/log_release.h"
#include "trace/ring_decoder.h"

namespace heddle::slice {

struct Slice {
  std::uint64_t events = 0;                               // accesses and synchronisation
  std::uint64_t relevant = 0;                             // events on which the failure depends
  std::map<std::uint32_t, std::uint64_t> relevant_sites;  // by SiteId: relevant events
  std::map<std::uint32_t, std::uint64_t> relevant_threads;
  std::vector<bool> by_event;  // in the order of execution: is it relevant?
  std::vector<LoggedIteration> iterations;
};

// Observes an execution of a program that records its blocks and all its accesses (HEDDLE_HOOKS=branches), and slices
// it.
//
// While the program runs, each record becomes a word of a log, assigned to its function invocation. slice() then makes
// one pass over the log from the failure back (backward/backward_pass.h). It keeps a set of wanted bytes, values and
// decisions instead of a dependence graph, which would take 2.7 times as long.
//
// Beyond the paper's relations, an event depends on the lock that its thread acquired last and still holds, and on the
// thread's last wait: without these it would not have happened there.
//
// A recorded trace can be logged in parts, in parallel (log/execution_part.h).
class Slicer : public run::RingSink {
 public:
  Slicer() { add_part(); }

  void begin(const format::SessionResult& result) override { parts_.front()->catalog().begin(result); }
  void consume(std::span<const std::uint64_t> words) override;
  void feed(run::ScheduleCollector& collector) override { collector_ = &collector; }
  const std::optional<trace::Problem>& problem() const override { return decoder_.problem(); }
  void take(const trace::Event& record) { parts_.front()->take(record); }
  void add_function(std::uint64_t row_address, binary::FunctionFlow flow) {
    files_.add_function(row_address, std::move(flow));
  }

  // The parts of an execution that is logged in parallel: the first, and a further one. REQUIRES: fewer than kPartsMax.
  ExecutionPart& first_part() { return *parts_.front(); }
  ExecutionPart& add_part() {
    return *parts_.emplace_back(
        std::make_unique<ExecutionPart>(static_cast<std::uint32_t>(parts_.size()), files_, state_));
  }
  // False if a part cannot be joined with those before it; then the execution has to be logged in one part. REQUIRES:
  // called once, after all parts are complete.
  bool join_parts();

  // Slices backward from the last events of these threads. REQUIRES: the execution has ended; with several parts,
  // called once.
  Slice slice(const std::vector<std::uint32_t>& failed, Relations relations = Relations::All);

  bool has_flow() const;  // the program records its blocks and has flow tables
  std::uint64_t records() const;

 private:
  void drop_entries(LogPlace from);

  FlowFiles files_;
  ExecutionState state_;
  std::vector<std::unique_ptr<ExecutionPart>> parts_;
  std::unique_ptr<LogRelease> release_;  // of the log behind the backward pass
  trace::RingDecoder decoder_;
  run::ScheduleCollector* collector_ = nullptr;
};

}  // namespace heddle::slice
