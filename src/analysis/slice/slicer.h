#pragma once
// Dynamic multithreaded slicing (LEAN, Algorithm 3), exact to the instruction; how far an event is from the failure is
// asked in coredump/search/dependence_distance.h, which threads hand each other what in
// shrink/profile/execution_reduction.h. Hears an execution whose program tells its blocks and all its accesses
// (HEDDLE_HOOKS=branches), logs what belongs to which invocation while it runs, and goes back from the failure.
//
// Beyond the paper's relations, an access depends on the lock that its thread took last and still holds, and on what
// the thread last waited for: without them it would not have happened there.
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

// An iteration of a marked loop that a thread went through, or a marked call that it made.
struct SlicedIteration {
  std::uint32_t thread = 0;
  std::uint64_t loop = 0;    // hash of its name
  std::uint32_t number = 0;  // of its thread and loop, from 1
  bool relevant = false;     // the failure depends on something that was done in it
};

struct Slice {
  std::uint64_t events = 0;                               // accesses and synchronisation
  std::uint64_t relevant = 0;                             // of them, that the failure depends on
  std::map<std::uint32_t, std::uint64_t> relevant_sites;  // by SiteId: events
  std::map<std::uint32_t, std::uint64_t> relevant_threads;
  std::vector<bool> by_event;  // in the order of execution
  std::vector<SlicedIteration> iterations;
};

class Slicer final : public run::RingSink {
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

  // For who tells an execution in parts, side by side: the first, then one more. REQUIRES: fewer than kPartsMax before.
  ExecutionPart& first_part() { return *parts_.front(); }
  ExecutionPart& add_part() {
    return *parts_.emplace_back(
        std::make_unique<ExecutionPart>(static_cast<std::uint32_t>(parts_.size()), files_, state_));
  }
  // False: one of them cannot be understood without those before it, and all has to be told in one part.
  // REQUIRES: once, after all was told.
  bool join_parts();

  // Backward from what these threads did last. REQUIRES: the execution has ended; if it was told in parts, once.
  Slice slice(const std::vector<std::uint32_t>& failed, Relations relations = Relations::All);

  // The program tells its blocks, and how values flow.
  bool has_flow() const;
  std::uint64_t records() const;  // that it was told

 private:
  void drop_entries(LogPlace from);

  FlowFiles files_;
  ExecutionState state_;
  std::vector<std::unique_ptr<ExecutionPart>> parts_;  // one, and those that were added
  std::unique_ptr<LogRelease> release_;                // of what was gone back through
  trace::RingDecoder decoder_;
  run::ScheduleCollector* collector_ = nullptr;
};

}  // namespace heddle::slice
