#pragma once
// Iterations of marked loops (HEDDLE_HOOKS=iterations, HEDDLE_REPEAT) and marked calls (HEDDLE_HOOKS=calls), as a recorded run
// went through them. To leave out a call is the same as to leave out an iteration.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "run/launcher.h"
#include "run/omitted.h"
#include "shrink/plan.h"
#include "trace/ring_decoder.h"

namespace heddle::shrink {

struct Iteration {
  std::uint32_t number = 0;  // of its thread and loop, from 1; those that were left out count
  PointRange points;         // of the thread
  PointRange extent;         // among all beginnings and ends of iterations of the thread: tells what is inside of what
  std::vector<std::uint32_t> forked, joined;  // ThreadIds of those that it started in it, and for whose end it waited
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
  std::uint64_t points = 0;  // in all of them
  bool only_sliced = false;  // left out only where a slice says so: calls, and iterations of loops that do not count
};

class LoopWatch final : public run::RingSink {
 public:
  void begin(const format::SessionResult&) override {}
  void consume(std::span<const std::uint64_t> words) override {
    decoder_.decode(words, [this](const trace::RingRecord& record) { add(record); });
  }

  // `names`: descent names by ThreadId. `begin_points`: of main, that were not heard.
  std::vector<LoopOfThread> finish(const std::vector<std::string>& names, std::uint64_t begin_points,
                                   const std::map<std::uint64_t, std::string>& loops);

 private:
  void add(const trace::RingRecord& record);

  struct Position {
    std::uint32_t points = 0;
    std::uint32_t order = 0;  // beginnings and ends so far
  };
  struct Heard {
    std::vector<Iteration> iterations;
    std::vector<LeftOut> left_out;
    std::vector<std::uint32_t> open;  // indices of iterations that have not ended, the innermost last
  };
  trace::RingDecoder decoder_;
  std::map<std::uint32_t, Position> positions_;                             // by thread
  std::map<std::pair<std::uint32_t, std::uint64_t>, Heard> iterations_;  // by thread and loop
};

// By its name: see LoopOfThread::only_sliced.
bool is_only_sliced(const std::string& name);

// The names of the marked loops of all modules of a run, by their hashes. Empty: the program was not built with them.
std::map<std::uint64_t, std::string> loop_names(const format::SessionResult& result);

}  // namespace heddle::shrink
