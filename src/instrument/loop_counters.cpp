#include "instrument/loop_counters.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

#include <map>

#include "abi/blocks.h"
#include "instrument/block_table.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

class LoopCounters {
 public:
  LoopCounters(Function& function, const LoopInfo& loops, DISubprogram* subprogram)
      : function_(function),
        loop_of_(loops_with_dead_ends(function, loops)),
        subprogram_(subprogram),
        debug_(*function.getParent(), /*AllowUnresolved=*/false, subprogram->getUnit()),
        word_(Type::getInt64Ty(function.getContext())),
        type_(debug_.createBasicType("__heddle_loop_count", 64, dwarf::DW_ATE_unsigned)) {}

  void add(const Loop& loop, unsigned number) {
    const DebugLoc begin = loop.getStartLoc();
    const unsigned line = begin ? begin.getLine() : 0;
    variable_ = debug_.createAutoVariable(subprogram_, HEDDLE_LOOP_COUNTER + std::to_string(number),
                                          subprogram_->getFile(), line, type_, /*AlwaysPreserve=*/true);
    place_ = DILocation::get(function_.getContext(), line, 0, subprogram_);
    PHINode* counter = create_counter(loop);
    for (BasicBlock& block : function_)
      if (const Loop* innermost = loop_of_.lookup(&block); innermost != nullptr && loop.contains(innermost))
        describe(block, counter);
    // Beyond the loop the value means nothing.
    SmallVector<BasicBlock*, 4> exits;
    loop.getUniqueExitBlocks(exits);
    for (BasicBlock* block : exits) {
      const Loop* innermost = loop_of_.lookup(block);
      if (innermost == nullptr || !loop.contains(innermost)) describe(*block, PoisonValue::get(word_));
    }
  }

  void finish() { debug_.finalizeSubprogram(subprogram_); }

 private:
  PHINode* create_counter(const Loop& loop) {
    BasicBlock* header = loop.getHeader();
    PHINode* counter = PHINode::Create(word_, pred_size(header), "heddle.loop");
    counter->insertBefore(header->begin());
    std::map<BasicBlock*, Value*> next;
    SmallVector<BasicBlock*, 4> latches;
    loop.getLoopLatches(latches);
    for (BasicBlock* latch : latches)
      if (!next.contains(latch)) next[latch] = increment(*latch, counter);
    for (BasicBlock* predecessor : predecessors(header)) {
      const auto latch = next.find(predecessor);
      counter->addIncoming(latch == next.end() ? ConstantInt::get(word_, 0) : latch->second, predecessor);
    }
    return counter;
  }

  // Opaque, so that no later pass counts in another variable instead.
  Value* increment(BasicBlock& latch, Value* counter) {
    IRBuilder<> ir(latch.getTerminator());
    InlineAsm* step =
        InlineAsm::get(FunctionType::get(word_, {word_}, false), "incq $0", "=r,0,~{flags}", /*hasSideEffects=*/true);
    CallInst* call = ir.CreateCall(step, {counter});
    call->setDoesNotThrow();
    call->setOnlyAccessesInaccessibleMemory();
    call->setDebugLoc(DILocation::get(function_.getContext(), 0, 0, subprogram_));
    return call;
  }

  void describe(BasicBlock& block, Value* value) {
    const auto at = block.getFirstInsertionPt();
    if (at == block.end()) return;
    if (block.IsNewDbgInfoFormat) {
      block.insertDbgRecordBefore(
          DbgVariableRecord::createDbgVariableRecord(value, variable_, debug_.createExpression(), place_), at);
    } else {
      debug_.insertDbgValueIntrinsic(value, variable_, debug_.createExpression(), place_, &*at);
    }
  }

  Function& function_;
  LoopOfBlock loop_of_;
  DISubprogram* subprogram_;
  DIBuilder debug_;
  Type* word_;
  DIBasicType* type_;
  DILocalVariable* variable_ = nullptr;
  DILocation* place_ = nullptr;
};

}  // namespace

void add_loop_counters(Function& function, const LoopInfo& loops) {
  DISubprogram* subprogram = function.getSubprogram();
  if (subprogram == nullptr || loops.empty()) return;
  LoopCounters counters(function, loops, subprogram);
  unsigned number = 0;
  for (const Loop* loop : loops.getLoopsInPreorder()) counters.add(*loop, number++);
  counters.finish();
}

}  // namespace heddle::instrument
