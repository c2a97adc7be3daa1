#pragma once
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

namespace heddle::instrument {

// Gives every loop of the function a counter of how often it was begun again, in a register of the optimiser's choice,
// and describes it as a debug variable in every block of the loop. Nothing happens in a function without debug
// information: nobody could read it.
void add_loop_counters(llvm::Function& function, const llvm::LoopInfo& loops);

}  // namespace heddle::instrument
