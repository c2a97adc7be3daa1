#pragma once
// Whether a core of a production build will be readable: at every call and every access to memory, is the block known, and
// do all loops around it have their counters?
#include <cstdint>
#include <string>
#include <vector>

#include "support/result.h"
#include "check_production/instructions.h"

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
  Share counted;  // of those in loops, the ones where every loop's counter can be read
};

// Instructions of a loop, and those at which its own counter can be read.
struct LoopTally {
  Share calls, accesses;
  // Then another way of counting is needed. A few accesses that code generation put at the edge of a block are not worth
  // the price of it; a call is, since every frame but the innermost stands at one.
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

// An instruction and the block in which it was found to be.
struct Placed {
  Instruction instruction;
  std::uint32_t function = 0;  // index into Coverage::functions
  std::int64_t block = -1;     // -1: unknown
  bool sure = false;
};

struct Coverage {
  Tally calls, accesses;
  std::vector<FunctionTally> functions;  // those that have points
  std::vector<Placed> placed;
  Nestings nestings;
};

// Fails when the program is no production build.
Result<Coverage> measure_coverage(const std::string& program);

}  // namespace heddle::verify
