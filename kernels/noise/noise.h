// A background workload for kernels: threads that communicate a lot, in many ways, and always right. A
// ranking of code or a search for schedules then has something to be wrong about.
//
// It is linked to a kernel as it is; nothing has to be called. With HEDDLE_KERNEL_NOISE=N in the
// environment, N rounds of it run beside the kernel; without, nothing happens. It ends by itself
// whatever the kernel does, so that a kernel's deadlock is still a deadlock, and a kernel that ends well
// waits for it at exit.
#pragma once

#include <cstddef>

namespace noise {

inline constexpr std::size_t kWorkers = 3;

// One way to communicate, used by all workers in every round.
class Workload {
 public:
  virtual ~Workload() = default;

  // Called once per round by every worker, 0 to kWorkers - 1, in the same order of workloads: a
  // workload may wait for what the other workers do in it.
  virtual void run(std::size_t worker, std::size_t round) = 0;

  // Called when all workers have ended: asserts that nothing was lost.
  virtual void check(std::size_t rounds) const = 0;
};

Workload* new_bounded_queue();
Workload* new_sharded_map();
Workload* new_shared_table();
Workload* new_transfers();
Workload* new_recent_keys();
Workload* new_ping_pong();
Workload* new_relaxation();
Workload* new_stealing_piles();
Workload* new_shared_page();
Workload* new_counters();
Workload* new_lock_free_stack();
Workload* new_published_snapshot();
Workload* new_event_ring();

}  // namespace noise
