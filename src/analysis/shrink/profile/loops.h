#pragma once
// Iterations of marked loops (HEDDLE_HOOKS=iterations, HEDDLE_REPEAT) and marked calls (HEDDLE_HOOKS=calls), as a
// recorded run went through them. To leave out a call is the same as to leave out an iteration.
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
  std::uint32_t number = 0;       // of its thread and loop, from 1; those that were left out count
  experiment::PointRange points;  // of the thread
  experiment::PointRange
      extent;  // among all beginnings and ends of iterations of the thread: tells what is inside of what
  bool ended() const { return extent.end != kNever; }
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};
};

// ThreadIds of those that a thread started in an iteration, and for whose end it waited.
struct ThreadsOfIteration {
  std::vector<std::uint32_t> forked, joined;
};

struct LeftOut {
  std::uint32_t number = 0;  // as above
  std::uint32_t at = 0;      // as in Iteration::extent
};

struct LoopOfThread {
  std::string thread;  // descent name
  std::string loop;
  std::vector<Iteration> iterations;
  std::vector<LeftOut> left_out;
  std::map<std::uint32_t, ThreadsOfIteration> threads;  // by index of the iteration; most have none
  std::uint64_t points = 0;                             // in all of them
  bool only_sliced = false;  // left out only where a slice says so: calls, and iterations of loops that do not count

  // REQUIRES: it is one of `iterations`.
  ThreadsOfIteration threads_of(const Iteration& iteration) const {
    const auto found = threads.find(static_cast<std::uint32_t>(&iteration - iterations.data()));
    return found != threads.end() ? found->second : ThreadsOfIteration{};
  }
};

class LoopObserver {
 public:
  void add(const trace::Event& record) {
    if (format::is_access(record.kind))
      ++positions_[number(record.thread)].points;
    else
      add_other(record);
  }

  // `names`: descent names by ThreadId. `begin_points`: of main, that were not heard.
  std::vector<LoopOfThread> finish(const std::vector<std::string>& names, std::uint64_t begin_points,
                                   const std::map<std::uint64_t, std::string>& loops);

 private:
  void add_other(const trace::Event& record);
  void add_iteration(const trace::Event& record, std::uint32_t thread);

  struct Position {
    std::uint32_t points = 0;
    std::uint32_t order = 0;  // beginnings and ends so far
  };
  struct Heard {
    std::vector<Iteration> iterations;
    std::vector<LeftOut> left_out;
    std::map<std::uint32_t, ThreadsOfIteration> threads;
    std::vector<std::uint32_t> open;  // indices of iterations that have not ended, the innermost last
  };
  ByNumber<Position> positions_;                                         // by thread
  std::map<std::pair<std::uint32_t, std::uint64_t>, Heard> iterations_;  // by thread and loop
  // Those that were asked for last, by a few bits of both: a thread comes to the same few loops again and again.
  struct Recent {
    std::uint32_t thread = 0;
    std::uint64_t loop = 0;
    Heard* heard = nullptr;
  };
  std::array<Recent, 64> recent_{};
};

// By its name: see LoopOfThread::only_sliced.
bool is_only_sliced(const std::string& name);

// The names of the marked loops of all modules of a run, by their hashes. Empty: the program was not built with them.
std::map<std::uint64_t, std::string> loop_names(const format::SessionResult& result);

}  // namespace heddle::shrink
