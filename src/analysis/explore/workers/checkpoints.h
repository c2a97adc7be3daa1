#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "format/run_inputs.h"
#include "run/process/fork_server.h"

namespace heddle::explore {

// The copies that the runs of one fork server left behind, and which of them a schedule can go on from: one that stands
// before all deviations in which the two differ.
class Checkpoints {
 public:
  explicit Checkpoints(run::ForkServer& server) : server_(server) {}

  struct Start {
    std::uint32_t slot = 0;  // 0: the server itself
    std::uint64_t step = 0;
  };
  // The one that saves most.
  Start find(std::span<const format::Deviation> deviations);

  // Where a run from `start` is to leave copies behind: half way to its last deviation, half way of what remains, and
  // so on up to there, unless they would save less than they cost.
  std::vector<run::CheckpointRequest> plan(const Start& start, std::span<const format::Deviation> deviations);
  // After that run: notes which of them it has left.
  void collect(std::span<const run::CheckpointRequest> requests);

 private:
  struct Entry {
    std::uint32_t slot;
    std::uint64_t step;
    std::vector<format::Deviation> before;  // deviations up to its step
    std::uint64_t last_used;
  };
  std::uint32_t take_slot();

  run::ForkServer& server_;
  std::vector<Entry> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace heddle::explore
