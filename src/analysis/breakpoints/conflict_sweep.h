#pragma once
// Methodology II of "Concurrent Breakpoints" (Park, Sen, 2011, section 5): executes each potential conflict of a run in
// both orders, many times.
#include <chrono>
#include <cstdint>
#include <set>
#include <vector>

#include "breakpoints/rendezvous.h"
#include "experiment/progress.h"
#include "run/run_options.h"
#include "support/result.h"

namespace heddle::breakpoints {

struct SweepOptions {
  run::RunOptions run;
  int runs = 20;  // of each order
  long long timeout_ms = 100;
  std::set<std::uint32_t> lines;  // of conflicts; empty: all
  std::chrono::milliseconds time{600'000};
};

// Two places that threads may reach at the same time: before a lock that both take, or before accesses to the same
// memory, one of them a write, without a common lock.
struct Conflict {
  bool lock = false;
  RendezvousPoint a, b;
};

// One order of a conflict.
struct Resolution {
  std::size_t conflict = 0;
  bool a_first = true;
  int runs = 0, failed = 0, hit = 0;
};

struct SweepReport {
  std::vector<Conflict> conflicts;
  std::vector<Resolution> resolutions;
  int failed_without = 0;  // runs without a breakpoint
  int runs_without = 0;
  bool out_of_time = false;
  double seconds = 0;
};

Result<SweepReport> sweep_conflicts(const SweepOptions& options, const experiment::ShowProgress& show);

}  // namespace heddle::breakpoints
