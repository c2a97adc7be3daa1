#pragma once
// Iterations of marked loops (HEDDLE_HOOKS=iterations, HEDDLE_REPEAT) and marked calls (HEDDLE_HOOKS=calls) in a
// recorded run. A call is treated like an iteration: it is skipped in the same way.
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "clip/skipped.h"
#include "experiment/schedule.h"
#include "shrink/profile/run_observers.h"
#include "trace/event.h"

namespace heddle::shrink {

struct Iteration {
  std::uint32_t number = 0;       // in its thread and loop, from 1; skipped iterations count
  experiment::PointRange points;  // of the thread
  experiment::PointRange extent;  // in the thread's sequence of beginnings and ends of iterations; shows the nesting
  bool ended() const { return extent.end != kNever; }
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
};

// ThreadIds of the threads that an iteration created and joined.
struct ThreadsOfIteration {
  std::vector<std::uint32_t> forked, joined;
};

// An iteration that the recorded run skipped.
struct SkippedIteration {
  std::uint32_t number = 0;  // as in Iteration
  std::uint32_t at = 0;      // position as in Iteration::extent
};

struct LoopOfThread {
  std::string thread;  // descent name
  std::string loop;
  std::vector<Iteration> iterations;
  std::vector<SkippedIteration> skipped_before;
  std::map<std::uint32_t, ThreadsOfIteration> threads;  // by index in `iterations`; most have none
  std::uint64_t points = 0;                             // of all iterations
  bool only_sliced = false;  // a call, or an iteration of a loop that is not a repetitive block; see is_tried()

  // REQUIRES: `iteration` is an element of `iterations`.
  ThreadsOfIteration threads_of(const Iteration& iteration) const {
    const auto found = threads.find(static_cast<std::uint32_t>(&iteration - iterations.data()));
    return found != threads.end() ? found->second : ThreadsOfIteration{};
  }
};

// Collects the iterations of a run.
class LoopObserver {
 public:
  void add(const trace::Event& record) {
    if (format::is_access(record.kind))
      ++positions_[number(record.thread)].points;
    else
      add_other(record);
  }

  // `names`: descent names by ThreadId. `begin_points`: points of main before the recording.
  std::vector<LoopOfThread> finish(const std::vector<std::string>& names, std::uint64_t begin_points,
                                   const std::map<std::uint64_t, std::string>& loops);

 private:
  void add_other(const trace::Event& record);
  void add_iteration(const trace::Event& record, std::uint32_t thread);

  struct Position {
    std::uint32_t points = 0;
    std::uint32_t order = 0;  // number of beginnings and ends so far
  };
  struct LoopRecord {
    LoopOfThread loop;
    std::vector<std::uint32_t> open;  // indices of unfinished iterations, the innermost last
  };
  ByNumber<Position> positions_;                                              // by thread
  std::map<std::pair<std::uint32_t, std::uint64_t>, LoopRecord> iterations_;  // by thread and loop
  // A direct-mapped cache by thread and loop: a thread repeats the same few loops.
  struct Recent {
    std::uint32_t thread = 0;
    std::uint64_t loop = 0;
    LoopRecord* record = nullptr;
  };
  std::array<Recent, 64> recent_{};
};

// Decides LoopOfThread::only_sliced by the name of the loop.
bool is_only_sliced(const std::string& name);

// Names of the marked loops of all modules of a run, by hash. Empty if the program was built without marked loops.
std::map<std::uint64_t, std::string> loop_names(const format::SessionResult& result);

}  // namespace heddle::shrink
