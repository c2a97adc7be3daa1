#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "run/run_options.h"

namespace heddle::explore {

enum class Method {
  Portfolio,  // a mix of the sampling methods and the systematic search by preemptions
  Random,
  Pct,
  Pos,
  Surw,
  Preemptions,  // systematic, by the number of preemptions
  Delays,       // systematic, by the number of delays
  DepthFirst,   // systematic, without a bound
};

const char* method_word(Method method);
bool parse_method(const std::string& word, Method& method);
bool is_systematic(Method method);

struct ExploreOptions {
  run::RunOptions run;  // the search sets strategy, seed and armed set
  Method method = Method::Portfolio;
  std::uint64_t seed = 1;
  std::uint64_t runs = 10'000;
  std::chrono::milliseconds time{0};  // 0: no bound
  unsigned jobs = 0;                  // 0: one for each processor
  bool keep_going = false;
  std::string out_directory = "heddle-clips";
  std::uint32_t bound_max = 0xffffffffu;  // systematic: preemptions or delays
  bool prune = true;                      // systematic: skip equivalent schedules
  bool checkpoints = true;                // systematic: resume from checkpoints instead of repeating prefixes
  bool in_process = false;                // repeat bodies that support it inside one process
  bool arm_all = false;                   // every access is a scheduling point
};

}  // namespace heddle::explore
