#pragma once
// The protocol between the host, a fork server and its checkpoints.
#include <atomic>
#include <cstdint>

namespace heddle::format {

// A fork server, and each checkpoint that a run leaves, is a child of the host and waits at a slot of its own; slot 0
// is the server's.
inline constexpr std::uint32_t kCheckpointsMax = 64;
struct alignas(64) ServerSlot {
  std::atomic<std::uint32_t> command;  // the host increments it to start a run under the current configuration
  std::atomic<std::uint32_t> ready;    // 1: a process waits here
  std::uint32_t retire;                // with `command`: the process terminates instead
  std::int32_t process;                // the process that waits here
  std::uint64_t step;                  // its step
};
struct ServerControl {
  std::atomic<std::uint32_t> started;  // incremented when a copy has started its run
  std::int32_t process;                // that copy
  // The steps at which the next run leaves checkpoints, ascending, and their slots. The slot of a checkpoint that is
  // not possible (open pipes, children ...) does not become ready.
  std::uint32_t checkpoint_count;
  std::uint32_t checkpoint_slots[kCheckpointsMax];
  std::uint64_t checkpoint_steps[kCheckpointsMax];
  ServerSlot slots[kCheckpointsMax];
};

}  // namespace heddle::format
