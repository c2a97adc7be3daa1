#pragma once
// Between the host, a fork server and its checkpoints.
#include <atomic>
#include <cstdint>

namespace heddle::format {

// The conversation with a fork server, and with the checkpoints that its runs leave behind. Each of those processes
// waits at a slot of its own; 0 is the server. All are children of the host.
inline constexpr std::uint32_t kCheckpointsMax = 64;
struct alignas(64) ServerSlot {
  std::atomic<std::uint32_t> command;  // bumped by the host: make a run of what the configuration says now
  std::atomic<std::uint32_t> ready;    // 1: a process waits here
  std::uint32_t retire;                // with `command`: end instead
  std::int32_t process;                // who waits here
  std::uint64_t step;                  // where it stands
};
struct ServerControl {
  std::atomic<std::uint32_t> started;  // bumped by the copy when it begins its run
  std::int32_t process;                // that copy
  // Steps at which the next run shall leave a checkpoint behind, ascending, and at which slot each; refused ones (open
  // pipes, children ...) do not become ready.
  std::uint32_t checkpoint_count;
  std::uint32_t checkpoint_slots[kCheckpointsMax];
  std::uint64_t checkpoint_steps[kCheckpointsMax];
  ServerSlot slots[kCheckpointsMax];
};

}  // namespace heddle::format
