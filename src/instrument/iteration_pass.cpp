#include "instrument/iteration_pass.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <map>
#include <string>

#include "abi/hooks.h"
#include "base/hash.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

struct Repetition {
  BasicBlock* body;
  BasicBlock* step;
  DebugLoc place;
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
  if (!counted) return std::nullopt;
  const auto* variable = cast<AllocaInst>(counted->getPointerOperand());
  if (is_changed_elsewhere(loop, *variable, *counted) || !only_condition_ends(loop) || hands_values_on(loop, step))
    return std::nullopt;
  return Repetition{body, step, branch->getDebugLoc()};
}

// Libraries' loops do what their callers rely on: a vector that leaves an element behind is no reduced execution.
bool is_of_system_header(const Function& function) {
  const DISubprogram* subprogram = function.getSubprogram();
  if (!subprogram) return false;
  SmallString<128> path(subprogram->getFilename());
  if (!sys::path::is_absolute(path)) {
    path = subprogram->getDirectory();
    sys::path::append(path, subprogram->getFilename());
  }
  return path.starts_with("/usr/include/") || path.starts_with("/usr/lib/");
}

class IterationMarker {
 public:
  explicit IterationMarker(Module& module) : module_(module) {
    Type* word = Type::getInt64Ty(module.getContext());
    begin_ = module.getOrInsertFunction("__heddle_iteration", Type::getInt1Ty(module.getContext()), word);
    end_ = module.getOrInsertFunction("__heddle_iteration_end", Type::getVoidTy(module.getContext()), word);
    for (FunctionCallee hook : {begin_, end_}) {
      cast<Function>(hook.getCallee())->addFnAttr(Attribute::NoUnwind);
      cast<Function>(hook.getCallee())->addFnAttr(Attribute::NonLazyBind);
    }
  }

  void mark(const Repetition& repetition) {
    Function& function = *repetition.body->getParent();
    const std::string name = name_of(function, repetition.place);
    keep_name(name, function);
    Constant* loop = ConstantInt::get(Type::getInt64Ty(module_.getContext()), hash_bytes(name.data(), name.size()));
    Instruction* first = &*repetition.body->getFirstInsertionPt();
    BasicBlock* rest = SplitBlock(repetition.body, first);
    Instruction* jump = repetition.body->getTerminator();
    IRBuilder<> ir(jump);
    ir.SetCurrentDebugLocation(repetition.place);
    Value* is_left_out = ir.CreateCall(begin_, {loop});
    ir.CreateCondBr(is_left_out, repetition.step, rest);
    jump->eraseFromParent();
    IRBuilder<> step(&*repetition.step->getFirstInsertionPt());
    step.SetCurrentDebugLocation(repetition.place);
    step.CreateCall(end_, {loop});
  }

  bool marked() const { return !names_.empty(); }
  void finish() { appendToUsed(module_, names_); }

 private:
  // "derby.cpp:110 run": where a person finds it.
  std::string name_of(const Function& function, const DebugLoc& place) {
    std::string name = "?";
    if (place) name = sys::path::filename(place->getFilename()).str() + ":" + utostr(place->getLine());
    const DISubprogram* subprogram = function.getSubprogram();
    name += " " + (subprogram ? subprogram->getName() : function.getName()).str();
    // Two of one name: templates that differ in their arguments, several loops in a line.
    const unsigned ordinal = ++ordinals_[name];
    return ordinal == 1 ? name : name + " (" + utostr(ordinal) + ")";
  }

  // The host reads the section to know the loops by name.
  void keep_name(const std::string& name, Function& function) {
    Constant* text = ConstantDataArray::getString(module_.getContext(), name);
    auto* global = new GlobalVariable(module_, text->getType(), true, GlobalValue::PrivateLinkage, text, "heddle_loop");
    global->setSection(HEDDLE_SECTION_LOOPS);
    global->setAlignment(Align(1));
    if (Comdat* group = function.getComdat()) global->setComdat(group);
    names_.push_back(global);
  }

  Module& module_;
  FunctionCallee begin_, end_;
  std::map<std::string, unsigned> ordinals_;
  SmallVector<GlobalValue*, 16> names_;
};

}  // namespace

PreservedAnalyses IterationPass::run(Module& module, ModuleAnalysisManager&) {
  IterationMarker marker(module);
  for (Function& function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage() || is_of_system_header(function)) continue;
    const DominatorTree tree(function);
    const LoopInfo loops(tree);
    SmallVector<Repetition, 4> found;
    for (const Loop* loop : loops.getLoopsInPreorder())
      if (const std::optional<Repetition> repetition = find_repetition(*loop)) found.push_back(*repetition);
    for (const Repetition& repetition : found) marker.mark(repetition);
  }
  if (!marker.marked()) return PreservedAnalyses::all();
  marker.finish();
  return PreservedAnalyses::none();
}

}  // namespace heddle::instrument
