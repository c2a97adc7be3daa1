#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "abi/skipped_calls.h"
#include "pass/passes.h"
#include "pass/skipping/skip_marker.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

// Constructors and destructors are not skipped: they form pairs.
bool makes_or_destroys(const Function& function) {
  ItaniumPartialDemangler name;
  return !name.partialDemangle(function.getName().str().c_str()) && name.isCtorOrDtor();
}

bool is_of_library(const Function& function) {
  // The file of a declaration is unknown. A C name may belong to the C library.
  if (function.isDeclaration()) {
    const StringRef name = function.getName();
    return !name.starts_with("_Z") || name.starts_with("_ZSt") || name.starts_with("_ZNSt") ||
           name.starts_with("_ZNKSt") || name.starts_with("_ZNS") || name.starts_with("_ZNKS") ||
           name.starts_with("_ZN9__gnu_cxx") || name.starts_with("_Zd") || name.starts_with("_Zn");
  }
  return is_of_system_header(function);
}

bool can_be_skipped(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic() || call.doesNotReturn() || callee->hasStructRetAttr() || call.hasStructRetAttr())
    return false;
  if (!call.use_empty() || call.isMustTailCall() || callee->getName().starts_with("__heddle")) return false;
  return !is_of_library(*callee) && !makes_or_destroys(*callee);
}

void mark(CallBase& call, SkipMarker& marker) {
  const DebugLoc place = call.getDebugLoc();
  Constant* name =
      marker.name(HEDDLE_CALL_PREFIX, *call.getFunction(), place, " -> " + short_name(*call.getCalledFunction()));
  BasicBlock* testing = call.getParent();
  BasicBlock* calling = SplitBlock(testing, &call);
  BasicBlock* after = nullptr;
  if (auto* invoke = dyn_cast<InvokeInst>(&call)) {
    after = invoke->getNormalDest();
    BasicBlock* done = BasicBlock::Create(call.getContext(), "", call.getFunction(), after);
    invoke->setNormalDest(done);
    IRBuilder<> ir(done);
    ir.SetCurrentDebugLocation(place);
    marker.create_end(ir, name);
    ir.CreateBr(after);
  } else {
    after = SplitBlock(calling, call.getNextNode());
    IRBuilder<> ir(calling->getTerminator());
    ir.SetCurrentDebugLocation(place);
    marker.create_end(ir, name);
  }
  Instruction* jump = testing->getTerminator();
  IRBuilder<> ir(jump);
  ir.SetCurrentDebugLocation(place);
  ir.CreateCondBr(marker.create_test(ir, name), after, calling);
  jump->eraseFromParent();
}

}  // namespace

PreservedAnalyses CallPass::run(Module& module, ModuleAnalysisManager&) {
  SkipMarker marker(module);
  return marker.mark_functions([&](Function& function) {
    SmallVector<CallBase*, 16> found;
    for (BasicBlock& block : function)
      for (Instruction& instruction : block) {
        auto* call = dyn_cast<CallBase>(&instruction);
        if (!call || !can_be_skipped(*call)) continue;
        // The block after the call gets a second predecessor, so it must not begin with a phi.
        const auto* invoke = dyn_cast<InvokeInst>(call);
        if (invoke && isa<PHINode>(invoke->getNormalDest()->front())) continue;
        found.push_back(call);
      }
    for (CallBase* call : found) mark(*call, marker);
  });
}

}  // namespace heddle::instrument
