#pragma once
// Numbers for positions in the optimised code that are equal in two builds of one source: the production build, which
// writes the core, and the build with HEDDLE_HOOKS=branches, which is run again. Both builds assign the numbers at the
// same point of the pipeline.
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace heddle::instrument {

// The points of a function: its blocks in order, then its calls in order. A call is a point of its own, so that two
// calls of one block can be distinguished.
struct FunctionPoints {
  llvm::SmallVector<llvm::BasicBlock*, 32> blocks;
  llvm::SmallVector<llvm::CallBase*, 32> calls;

  explicit FunctionPoints(llvm::Function& function);
  // Visits each point with the instruction before which code for the point can be inserted.
  template <typename Visit>
  void for_each(Visit visit) const {
    unsigned point = 0;
    for (llvm::BasicBlock* block : blocks) {
      const auto at = block->getFirstInsertionPt();
      if (at != block->end()) visit(point, &*at);
      ++point;
    }
    for (llvm::CallBase* call : calls) visit(point++, static_cast<llvm::Instruction*>(call));
  }
};

// True for functions whose blocks become machine code as they are here: not for declarations, bodies that exist only
// for inlining, naked functions, coroutines before their split, and LLVM's profiling functions.
bool has_points(const llvm::Function& function);

// The innermost loop that a block belongs to; nullptr: none. In addition to the blocks that LLVM assigns to a loop,
// these are blocks that are reached only from it and never return, such as a failed assertion, which happens in an
// iteration.
using LoopOfBlock = llvm::DenseMap<const llvm::BasicBlock*, const llvm::Loop*>;
LoopOfBlock loops_with_dead_ends(llvm::Function& function, const llvm::LoopInfo& loops);

// The function's row (abi/blocks.h), in the section of such rows.
llvm::GlobalVariable* create_block_row(llvm::Function& function, const FunctionPoints& points,
                                       const llvm::LoopInfo& loops);

// Disables tail calls, which would hide the caller in the stack of a core and of a run.
void forbid_tail_calls(llvm::Function& function);

}  // namespace heddle::instrument
