// A background workload for kernels: threads that communicate a lot, in many ways, and correctly. It
// tests whether a ranking of code or a search for schedules still finds the bug.
//
// A kernel links it and need not call it. With HEDDLE_KERNEL_NOISE=N in the environment, N rounds of
// it run concurrently with the kernel; without the variable none. It terminates independently of the
// kernel, so that a deadlock of the kernel is still a deadlock, and a kernel that passes
// waits for it at exit.
#pragma once

#include <cstddef>

namespace noise {

inline constexpr std::size_t kWorkers = 3;

// One kind of communication, executed by all workers in every round.
class Workload {
 public:
  virtual ~Workload() = default;

  // Every worker, 0 to kWorkers - 1, calls it once per round, in the same order of workloads: a
  // workload may wait for the other workers' calls.
  virtual void run(std::size_t worker, std::size_t round) = 0;

  // Called when all workers have ended: asserts that no update was lost.
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
