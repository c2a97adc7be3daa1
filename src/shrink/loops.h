#pragma once
// Iterations of marked loops (HEDDLE_HOOKS=iterations, HEDDLE_REPEAT), as a recorded run went through them.
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
  std::vector<std::uint32_t> forked, joined;  // ThreadIds of those that it started in it, and for whose end it waited
};

struct LoopOfThread {
  std::string thread;  // descent name
  std::string loop;
  std::vector<Iteration> iterations;
  std::uint64_t points = 0;  // in all of them
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

  trace::RingDecoder decoder_;
  std::map<std::uint32_t, std::uint32_t> points_;                                                // by thread
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Iteration>> iterations_;  // by thread and loop
};

// The names of the marked loops of all modules of a run, by their hashes. Empty: the program was not built with them.
std::map<std::uint64_t, std::string> loop_names(const format::SessionResult& result);

// The same without these iterations as well.
run::Omitted with_iterations(const run::Omitted& omitted, const LoopOfThread& loop,
                             const std::vector<std::uint32_t>& numbers);

}  // namespace heddle::shrink
