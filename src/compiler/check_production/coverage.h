#pragma once
// Measures whether a core of a production build can be analysed: at every call and every memory access, is the block
// known, and can the counters of all enclosing loops be read?
#include <cstdint>
#include <string>
#include <vector>

#include "check_production/instructions.h"
#include "support/result.h"

namespace heddle::verify {

struct Share {
  std::uint64_t of = 0, good = 0;
  void count(bool is_good) {
    ++of;
    if (is_good) ++good;
  }
  double percent() const { return of == 0 ? 100.0 : 100.0 * static_cast<double>(good) / static_cast<double>(of); }
};

struct Tally {
  Share mapped;   // instructions whose block is known
  Share counted;  // instructions in loops at which the counter of every enclosing loop can be read
};

// The instructions of a loop, and those at which its own counter can be read.
struct LoopTally {
  Share calls, accesses;
  // True if the loop needs a more expensive counter. A gap at a call always does, because every frame except the
  // innermost one is at a call. Up to 2 % of the accesses may have gaps: code generation puts them at the edge of a
  // block, and a more expensive counter is not worth its cost there.
  bool has_gaps() const { return calls.good != calls.of || accesses.percent() < kAccessesMin; }
  static constexpr double kAccessesMin = 98.0;  // percent
};

struct FunctionTally {
  std::string name;  // linkage name
  std::string source;
  Tally calls, accesses;
  std::vector<LoopTally> loops;  // by number
};

// How the blocks of a program nest (Table 1 of the paper).
struct Nestings {
  std::uint64_t single = 0, aggregated = 0, not_aggregated = 0, loop = 0, none = 0;
};

// An instruction and the block that it was mapped to.
struct Placed {
  Instruction instruction;
  std::uint32_t function = 0;  // index into Coverage::functions
  std::int64_t block = -1;     // -1: unknown
  bool sure = false;
};

struct Coverage {
  Tally calls, accesses;
  std::vector<FunctionTally> functions;  // functions with at least one measured instruction
  std::vector<Placed> placed;
  Nestings nestings;
};

// Fails if the program is not a production build.
Result<Coverage> measure_coverage(const std::string& program);

}  // namespace heddle::verify
