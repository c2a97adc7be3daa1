#pragma once
// Makes the number of completed iterations of a loop readable from a core, as the debug variables HEDDLE_LOOP_COUNTER
// (abi/blocks.h). There are five kinds of counter, in order of their cost:
//
//   nothing     a core cannot show the program in the loop: it has no calls, accesses or divisions
//   described   the loop has induction variables: only debug information is added, one debug variable for each
//   held        the same, and the induction variable and its start are used at the exit of the loop, so that code
//               generation keeps them; an iteration costs nothing
//   register    an additional counter, incremented by an instruction that is opaque to the optimiser
//   memory      an additional counter in the frame, which no optimisation removes
//
// A loop starts with the cheapest kind that is possible. If heddle-verify finds that the count cannot be read, the
// program is built again with the next kind for that loop.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Function.h>

#include <map>
#include <string>

namespace heddle::instrument {

// The loops with unreadable counters that heddle-verify has listed (HEDDLE_COUNTER_GAPS), and HEDDLE_COUNTERS=full,
// which disables the kinds `described` and `held`.
class CounterOptions {
 public:
  static CounterOptions from_environment();

  bool describes() const { return describes_; }
  // The number of times that heddle-verify has listed the loop.
  unsigned gaps_of(const std::string& function, const std::string& source, unsigned loop) const;

 private:
  bool describes_ = true;
  std::map<std::string, unsigned> gaps_;  // by line of the list
};

// Does nothing in a function without debug information, where a counter could not be read.
void add_loop_counters(llvm::Function& function, const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution,
                       const CounterOptions& options);

}  // namespace heddle::instrument
