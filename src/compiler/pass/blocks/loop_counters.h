#pragma once
// How often a loop was begun again, where a core shows it: as the debug variables HEDDLE_LOOP_COUNTER (abi/blocks.h). There
// are several ways, each dearer than the one before.
//
//   nothing     the program cannot be stopped in the loop: it has neither calls nor accesses
//   described   the loop has an induction variable: only debug information is added, one variable for each of them
//   held        the same, and the variable and its start are used once more where the loop is left, so that code generation
//               keeps them; an iteration costs nothing
//   register    a counter of our own, stepped by an instruction that the optimiser cannot look into
//   memory      a counter in the frame, which no optimisation loses sight of
//
// A loop begins with the cheapest that it can have. Where heddle-verify finds that the count cannot be read, the function
// is built again with the next one for that loop.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Function.h>

#include <map>
#include <string>

namespace heddle::instrument {

// The loops that heddle-verify has found wanting (HEDDLE_COUNTER_GAPS), and HEDDLE_COUNTERS=full, which describes none.
class CounterWishes {
 public:
  static CounterWishes from_environment();

  bool describes() const { return describes_; }
  // How often the loop was found wanting.
  unsigned gaps_of(const std::string& function, const std::string& source, unsigned loop) const;

 private:
  bool describes_ = true;
  std::map<std::string, unsigned> gaps_;  // by line of the list
};

// Nothing happens in a function without debug information: nobody could read it.
void add_loop_counters(llvm::Function& function, const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution,
                       const CounterWishes& wishes);

}  // namespace heddle::instrument
