#pragma once
// Numbers for places in the optimised code that two builds of one source agree on: the production build, whose core is
// read, and the build with HEDDLE_HOOKS=branches, which is run again. Both number at the same point of the pipeline.
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace heddle::instrument {

// The points of a function: its blocks in their order, then its calls in theirs. A call is a point of its own, so that
// two calls of one block are told apart.
struct FunctionPoints {
  llvm::SmallVector<llvm::BasicBlock*, 32> blocks;
  llvm::SmallVector<llvm::CallBase*, 32> calls;

  explicit FunctionPoints(llvm::Function& function);
  // Visits each point with the place before which something can be said about it.
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

// Functions that have points: all but those that no build executes as they stand.
bool has_points(const llvm::Function& function);

// The innermost loop that a block belongs to; nullptr: none. Beyond what LLVM calls the loop, blocks belong to it that are
// come to from it only and from which nothing returns: a failed assertion happens in an iteration.
using LoopOfBlock = llvm::DenseMap<const llvm::BasicBlock*, const llvm::Loop*>;
LoopOfBlock loops_with_dead_ends(llvm::Function& function, const llvm::LoopInfo& loops);

// The function's row (abi/blocks.h), in the section of such rows.
llvm::GlobalVariable* create_block_row(llvm::Function& function, const FunctionPoints& points,
                                       const llvm::LoopInfo& loops);

// Puts a row of 32-bit words into a section, where it shares the fate of its function.
void place_row(llvm::GlobalVariable& row, llvm::Function& function, llvm::StringRef section);

// Whoever is called by a tail call is seen to be called by somebody else, in a core as in a run.
void forbid_tail_calls(llvm::Function& function);

}  // namespace heddle::instrument
