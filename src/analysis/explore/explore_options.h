#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "run/run_options.h"

namespace heddle::explore {

enum class Method {
  Portfolio,  // a mix of all that sample, and the systematic search by preemptions beside it
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
  run::RunOptions run;  // strategy, seed and armed set are the search's own
  Method method = Method::Portfolio;
  std::uint64_t seed = 1;
  std::uint64_t runs = 10'000;
  std::chrono::milliseconds time{0};  // 0: no bound
  unsigned jobs = 0;                  // 0: as many as there are processors
  bool keep_going = false;
  std::string out_directory = "heddle-clips";
  std::uint32_t bound_max = 0xffffffffu;  // systematic: preemptions or delays
  bool prune = true;                      // systematic: equivalent schedules are not repeated
  bool checkpoints = true;                // systematic: prefixes are not run again
  bool in_process = false;                // bodies that ask for it are repeated inside the process
  bool arm_all = false;                   // every access is a scheduling point
};

}  // namespace heddle::explore
