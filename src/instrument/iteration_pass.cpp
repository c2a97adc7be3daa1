#include "instrument/iteration_pass.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstdlib>
#include <optional>

#include "abi/skipped_calls.h"
#include "instrument/skip_marker.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

struct Repetition {
  BasicBlock* body;
  BasicBlock* step;
  DebugLoc place;
  bool by_iterator;
};

// The variable that this value was loaded from, through casts.
const AllocaInst* variable_of(const Value* value) {
  while (const auto* cast = dyn_cast<CastInst>(value)) value = cast->getOperand(0);
  const auto* load = dyn_cast<LoadInst>(value);
  return load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
}

// The variable whose old value, up or down by a constant, is stored into it.
const AllocaInst* counted_by(const StoreInst& store) {
  const auto* variable = dyn_cast<AllocaInst>(store.getPointerOperand());
  if (!variable) return nullptr;
  if (const auto* sum = dyn_cast<BinaryOperator>(store.getValueOperand())) {
    const bool counts = sum->getOpcode() == Instruction::Add || sum->getOpcode() == Instruction::Sub;
    if (!counts || !isa<Constant>(sum->getOperand(1)) || variable_of(sum->getOperand(0)) != variable) return nullptr;
    return variable;
  }
  const auto* next = dyn_cast<GetElementPtrInst>(store.getValueOperand());
  return next && next->hasAllConstantIndices() && variable_of(next->getPointerOperand()) == variable ? variable : nullptr;
}

// The condition compares the variable with something else, both of primitive types.
bool decides(const BranchInst& branch, const AllocaInst& variable) {
  const auto* comparison = dyn_cast<ICmpInst>(branch.getCondition());
  return comparison && (variable_of(comparison->getOperand(0)) == &variable ||
                        variable_of(comparison->getOperand(1)) == &variable);
}

// Control that goes there does not come back to the function's own code after the loop.
bool never_returns(const BasicBlock* block) {
  SmallPtrSet<const BasicBlock*, 8> seen;
  while (block && seen.insert(block).second) {
    if (isa<UnreachableInst>(block->getTerminator())) return true;
    block = block->getSingleSuccessor();
  }
  return false;
}

bool only_condition_ends(const Loop& loop) {
  for (const BasicBlock* block : loop.blocks()) {
    if (block == loop.getHeader()) continue;
    for (const BasicBlock* next : successors(block)) {
      if (loop.contains(next)) continue;
      if (!next->isLandingPad() && !never_returns(next)) return false;
    }
  }
  return true;
}

bool is_changed_elsewhere(const Loop& loop, const AllocaInst& variable, const StoreInst& step) {
  for (const User* user : variable.users()) {
    const auto* instruction = cast<Instruction>(user);
    if (!loop.contains(instruction) || instruction == &step || isa<LoadInst>(instruction)) continue;
    if (!instruction->isLifetimeStartOrEnd() && !isa<DbgInfoIntrinsic>(instruction)) return true;
  }
  return false;
}

// From the body to the step no value comes but through memory.
bool hands_values_on(const Loop& loop, const BasicBlock* step) {
  for (const BasicBlock* block : loop.blocks()) {
    if (block == loop.getHeader() || block == step) continue;
    for (const Instruction& instruction : *block) {
      for (const User* user : instruction.users()) {
        const BasicBlock* used_in = cast<Instruction>(user)->getParent();
        if (used_in == step || used_in == loop.getHeader() || !loop.contains(used_in)) return true;
      }
    }
  }
  return false;
}

// for (Element& element : elements). No block in the paper's sense: its condition is on no primitive values.
bool steps_iterator(const BasicBlock& step) {
  for (const Instruction& instruction : step) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    ItaniumPartialDemangler name;
    if (!callee || name.partialDemangle(callee->getName().str().c_str()) || !name.isFunction()) continue;
    char* base = name.getFunctionBaseName(nullptr, nullptr);
    const bool increments = base && StringRef(base) == "operator++";
    std::free(base);
    if (increments) return true;
  }
  return false;
}

std::optional<Repetition> find_repetition(const Loop& loop) {
  BasicBlock* header = loop.getHeader();
  BasicBlock* step = loop.getLoopLatch();
  auto* branch = dyn_cast<BranchInst>(header->getTerminator());
  if (!step || step == header || !branch || !branch->isConditional()) return std::nullopt;
  const bool first_is_inside = loop.contains(branch->getSuccessor(0));
  if (first_is_inside == loop.contains(branch->getSuccessor(1))) return std::nullopt;
  BasicBlock* body = branch->getSuccessor(first_is_inside ? 0 : 1);
  if (body == step || isa<PHINode>(body->front()) || isa<PHINode>(step->front()) || body->isLandingPad())
    return std::nullopt;
  const StoreInst* counted = nullptr;
  for (const Instruction& instruction : *step) {
    const auto* store = dyn_cast<StoreInst>(&instruction);
    if (!store) continue;
    if (const AllocaInst* variable = counted_by(*store); variable && decides(*branch, *variable)) counted = store;
  }
  if (!only_condition_ends(loop) || hands_values_on(loop, step)) return std::nullopt;
  if (!counted) {
    if (!steps_iterator(*step)) return std::nullopt;
    return Repetition{body, step, branch->getDebugLoc(), true};
  }
  if (is_changed_elsewhere(loop, *cast<AllocaInst>(counted->getPointerOperand()), *counted)) return std::nullopt;
  return Repetition{body, step, branch->getDebugLoc(), false};
}

// Goes from the beginning of the body to the step if the iteration is to be left out.
void mark(const Repetition& repetition, SkipMarker& marker) {
  Constant* loop = marker.name(repetition.by_iterator ? HEDDLE_EACH_PREFIX : "", *repetition.body->getParent(), repetition.place, "");
  Instruction* first = &*repetition.body->getFirstInsertionPt();
  BasicBlock* rest = SplitBlock(repetition.body, first);
  Instruction* jump = repetition.body->getTerminator();
  IRBuilder<> ir(jump);
  ir.SetCurrentDebugLocation(repetition.place);
  ir.CreateCondBr(marker.ask(ir, loop), repetition.step, rest);
  jump->eraseFromParent();
  IRBuilder<> step(&*repetition.step->getFirstInsertionPt());
  step.SetCurrentDebugLocation(repetition.place);
  marker.tell_end(step, loop);
}

}  // namespace

PreservedAnalyses IterationPass::run(Module& module, ModuleAnalysisManager&) {
  SkipMarker marker(module);
  for (Function& function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage() || is_of_system_header(function)) continue;
    const DominatorTree tree(function);
    const LoopInfo loops(tree);
    SmallVector<Repetition, 4> found;
    for (const Loop* loop : loops.getLoopsInPreorder())
      if (const std::optional<Repetition> repetition = find_repetition(*loop)) found.push_back(*repetition);
    for (const Repetition& repetition : found) mark(repetition, marker);
  }
  if (!marker.marked()) return PreservedAnalyses::all();
  marker.finish();
  return PreservedAnalyses::none();
}

}  // namespace heddle::instrument
