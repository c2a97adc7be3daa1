#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "abi/skipped_calls.h"
#include "pass/passes.h"
#include "pass/skipping/skip_marker.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

struct Repetition {
  BasicBlock* body;
  BasicBlock* step;
  DebugLoc place;
  bool counts;  // a repetitive block in the paper's sense: a variable of primitive type, changed once per iteration
};

// The variable that this value was loaded from, through casts.
const AllocaInst* variable_of(const Value* value) {
  while (const auto* cast = dyn_cast<CastInst>(value)) value = cast->getOperand(0);
  const auto* load = dyn_cast<LoadInst>(value);
  return load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
}

// The variable that this store increments or decrements by a constant; nullptr: none.
const AllocaInst* counted_by(const StoreInst& store) {
  const auto* variable = dyn_cast<AllocaInst>(store.getPointerOperand());
  if (!variable) return nullptr;
  if (const auto* sum = dyn_cast<BinaryOperator>(store.getValueOperand())) {
    const bool counts = sum->getOpcode() == Instruction::Add || sum->getOpcode() == Instruction::Sub;
    if (!counts || !isa<Constant>(sum->getOperand(1)) || variable_of(sum->getOperand(0)) != variable) return nullptr;
    return variable;
  }
  const auto* next = dyn_cast<GetElementPtrInst>(store.getValueOperand());
  return next && next->hasAllConstantIndices() && variable_of(next->getPointerOperand()) == variable ? variable
                                                                                                     : nullptr;
}

// True if the condition of the branch compares the variable with another value, both of primitive type.
bool decides(const BranchInst& branch, const AllocaInst& variable) {
  const auto* comparison = dyn_cast<ICmpInst>(branch.getCondition());
  return comparison &&
         (variable_of(comparison->getOperand(0)) == &variable || variable_of(comparison->getOperand(1)) == &variable);
}

// True if control that reaches this block does not return to the function's own code after the loop.
bool never_returns(const BasicBlock* block) {
  SmallPtrSet<const BasicBlock*, 8> seen;
  while (block && seen.insert(block).second) {
    if (isa<UnreachableInst>(block->getTerminator())) return true;
    block = block->getSingleSuccessor();
  }
  return false;
}

// The code that decides before every iteration whether there is another one. It has several blocks if it contains calls
// that may throw.
struct Condition {
  SmallPtrSet<const BasicBlock*, 4> blocks;
  const BranchInst* branch = nullptr;
  bool contains(const BasicBlock* block) const { return blocks.contains(block); }
};

// The only successor of the block, exceptions excluded; nullptr: there are several.
BasicBlock* next_of(const BasicBlock& block) {
  const Instruction* end = block.getTerminator();
  if (const auto* invoke = dyn_cast<InvokeInst>(end)) return invoke->getNormalDest();
  const auto* jump = dyn_cast<BranchInst>(end);
  return jump && jump->isUnconditional() ? jump->getSuccessor(0) : nullptr;
}

std::optional<Condition> find_condition(const Loop& loop) {
  Condition condition;
  const BasicBlock* block = loop.getHeader();
  while (loop.contains(block) && condition.blocks.insert(block).second) {
    condition.branch = dyn_cast<BranchInst>(block->getTerminator());
    if (condition.branch && condition.branch->isConditional()) {
      if (loop.contains(condition.branch->getSuccessor(0)) == loop.contains(condition.branch->getSuccessor(1)))
        return std::nullopt;
      return condition;
    }
    block = next_of(*block);
    if (!block || !block->getSinglePredecessor()) return std::nullopt;
  }
  return std::nullopt;
}

bool only_condition_ends(const Loop& loop, const Condition& condition) {
  for (const BasicBlock* block : loop.blocks()) {
    if (condition.contains(block)) continue;
    for (const BasicBlock* next : successors(block)) {
      if (loop.contains(next)) continue;
      if (!next->isLandingPad() && !never_returns(next)) return false;
    }
  }
  return true;
}

// "(int, std::map<int, int> const&)": {"int", "std::map<int, int> const&"}.
SmallVector<StringRef, 4> split_parameters(StringRef list) {
  SmallVector<StringRef, 4> parameters;
  list.consume_front("(");
  list.consume_back(")");
  std::size_t begin = 0, depth = 0;
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (StringRef("<([{").contains(list[at])) ++depth;
    if (StringRef(">)]}").contains(list[at]) && depth != 0) --depth;
    if (list[at] != ',' || depth != 0) continue;
    parameters.push_back(list.slice(begin, at).trim());
    begin = at + 1;
  }
  if (begin < list.size()) parameters.push_back(list.substr(begin).trim());
  return parameters;
}

// True if the type of the parameter is a reference to const.
bool takes_constant(const CallBase& call, unsigned argument) {
  const Function* callee = call.getCalledFunction();
  ItaniumPartialDemangler name;
  if (!callee || name.partialDemangle(callee->getName().str().c_str()) || !name.isFunction()) return false;
  char* text = name.getFunctionParameters(nullptr, nullptr);
  const std::string list = text ? text : "";
  std::free(text);
  const SmallVector<StringRef, 4> parameters = split_parameters(list);
  // Before the parameters there may be hidden arguments: the address of the result, and the object of a member
  // function.
  const std::size_t hidden = call.arg_size() - std::min<std::size_t>(call.arg_size(), parameters.size());
  return argument >= hidden && argument - hidden < parameters.size() &&
         parameters[argument - hidden].ends_with("const&");
}

enum class Changed { Once, MaybeElsewhere, Elsewhere };

// How often an iteration changes the variable that `step` increments.
Changed how_changed(const Loop& loop, const AllocaInst& variable, const StoreInst& step) {
  Changed result = Changed::Once;
  for (const Use& use : variable.uses()) {
    const auto* user = cast<Instruction>(use.getUser());
    if (!loop.contains(user) || user == &step || isa<LoadInst>(user)) continue;
    if (user->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(user)) continue;
    const auto* call = dyn_cast<CallBase>(user);
    if (call && call->isArgOperand(&use) && takes_constant(*call, call->getArgOperandNo(&use))) continue;
    const auto* store = dyn_cast<StoreInst>(user);
    if (store && store->getPointerOperand() == &variable) return Changed::Elsewhere;
    result = Changed::MaybeElsewhere;
  }
  return result;
}

// True if the step or the condition uses a value that the body computes, other than through memory.
bool uses_values_of_body(const Loop& loop, const Condition& condition, const BasicBlock* step) {
  for (const BasicBlock* block : loop.blocks()) {
    if (condition.contains(block) || block == step) continue;
    for (const Instruction& instruction : *block) {
      for (const User* user : instruction.users()) {
        const BasicBlock* used_in = cast<Instruction>(user)->getParent();
        if (used_in == step || condition.contains(used_in) || !loop.contains(used_in)) return true;
      }
    }
  }
  return false;
}

// for (Element& element : elements). This is not a repetitive block in the paper's sense, because its condition does
// not compare primitive values.
bool steps_iterator(const BasicBlock& step) {
  for (const Instruction& instruction : step) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && short_name(*callee) == "operator++") return true;
  }
  return false;
}

std::optional<Repetition> find_repetition(const Loop& loop) {
  BasicBlock* step = loop.getLoopLatch();
  const std::optional<Condition> condition = find_condition(loop);
  if (!step || !condition || condition->contains(step)) return std::nullopt;
  const BranchInst* branch = condition->branch;
  BasicBlock* body = branch->getSuccessor(loop.contains(branch->getSuccessor(0)) ? 0 : 1);
  if (body == step || isa<PHINode>(body->front()) || isa<PHINode>(step->front()) || body->isLandingPad())
    return std::nullopt;
  const StoreInst* counted = nullptr;
  for (const Instruction& instruction : *step) {
    const auto* store = dyn_cast<StoreInst>(&instruction);
    if (!store) continue;
    if (const AllocaInst* variable = counted_by(*store); variable && decides(*branch, *variable)) counted = store;
  }
  if (!only_condition_ends(loop, *condition) || uses_values_of_body(loop, *condition, step)) return std::nullopt;
  if (!counted) {
    if (!steps_iterator(*step)) return std::nullopt;
    return Repetition{body, step, branch->getDebugLoc(), false};
  }
  const Changed changed = how_changed(loop, *cast<AllocaInst>(counted->getPointerOperand()), *counted);
  if (changed == Changed::Elsewhere) return std::nullopt;
  return Repetition{body, step, branch->getDebugLoc(), changed == Changed::Once};
}

// Inserts a jump from the beginning of the body to the step if the iteration is to be skipped. Only an iteration that
// was not skipped announces its end.
void mark(const Repetition& repetition, SkipMarker& marker) {
  Constant* loop =
      marker.name(repetition.counts ? "" : HEDDLE_EACH_PREFIX, *repetition.body->getParent(), repetition.place, "");
  Instruction* first = &*repetition.body->getFirstInsertionPt();
  BasicBlock* rest = SplitBlock(repetition.body, first);
  BasicBlock* step = SplitBlock(repetition.step, &*repetition.step->getFirstInsertionPt());
  Instruction* jump = repetition.body->getTerminator();
  IRBuilder<> ir(jump);
  ir.SetCurrentDebugLocation(repetition.place);
  ir.CreateCondBr(marker.create_test(ir, loop), step, rest);
  jump->eraseFromParent();
  IRBuilder<> end(repetition.step->getTerminator());
  end.SetCurrentDebugLocation(repetition.place);
  marker.create_end(end, loop);
}

}  // namespace

PreservedAnalyses IterationPass::run(Module& module, ModuleAnalysisManager&) {
  SkipMarker marker(module);
  return marker.mark_functions([&](Function& function) {
    const DominatorTree tree(function);
    const LoopInfo loops(tree);
    SmallVector<Repetition, 4> found;
    for (const Loop* loop : loops.getLoopsInPreorder())
      if (const std::optional<Repetition> repetition = find_repetition(*loop)) found.push_back(*repetition);
    for (const Repetition& repetition : found) mark(repetition, marker);
  });
}

}  // namespace heddle::instrument
