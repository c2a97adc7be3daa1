#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "format/run_inputs.h"
#include "run/process/fork_server.h"

namespace heddle::explore {

// The copies that the runs of one fork server left behind. A schedule can resume from a checkpoint that has the same
// deviations as the schedule up to its step. The least recently used checkpoint is replaced first.
class Checkpoints {
 public:
  explicit Checkpoints(run::ForkServer& server) : server_(server) {}

  struct Start {
    std::uint32_t slot = 0;  // 0: the server itself
    std::uint64_t step = 0;
  };
  // The checkpoint that saves the most steps.
  Start find(std::span<const format::Deviation> deviations);

  // The checkpoints that a run from `start` should leave: half way to its last deviation, half way from there, and so
  // on, and at the last deviation; none that would cost more than it saves.
  std::vector<run::CheckpointRequest> plan(const Start& start, std::span<const format::Deviation> deviations);
  // Removes the requested checkpoints that the run did not leave.
  void collect(std::span<const run::CheckpointRequest> requests);

 private:
  struct Entry {
    std::uint32_t slot;
    std::uint64_t step;
    std::vector<format::Deviation> before;  // deviations before `step`
    std::uint64_t last_used;
  };
  std::uint32_t take_slot();

  run::ForkServer& server_;
  std::vector<Entry> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace heddle::explore
