// The plugin of HEDDLE_HOOKS=branches. Loaded before the one that puts in the armed sites: blocks are numbered before
// anything is added to them.
#include <llvm/IR/IRBuilder.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "instrument/block_table.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

FunctionCallee declare_block_hook(Module& module) {
  LLVMContext& context = module.getContext();
  FunctionCallee hook =
      module.getOrInsertFunction("__heddle_block", Type::getVoidTy(context), PointerType::getUnqual(context),
                                 Type::getInt32Ty(context));
  auto* function = cast<Function>(hook.getCallee());
  function->setCallingConv(CallingConv::PreserveMost);
  function->addFnAttr(Attribute::NonLazyBind);
  function->addFnAttr(Attribute::NoUnwind);
  return hook;
}

class BlockHookPass : public PassInfoMixin<BlockHookPass> {
 public:
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module& module, ModuleAnalysisManager& manager) {
    auto& functions = manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    SmallVector<GlobalValue*, 64> retained;
    FunctionCallee hook;
    for (Function& function : module) {
      if (!has_points(function)) continue;
      if (!hook) hook = declare_block_hook(module);
      const FunctionPoints points(function);
      GlobalVariable* row = create_block_row(function, points, functions.getResult<LoopAnalysis>(function));
      retained.append({&function, row});
      forbid_tail_calls(function);
      add_hooks(function, points, row, hook);
    }
    if (retained.empty()) return PreservedAnalyses::all();
    appendToCompilerUsed(module, retained);
    return PreservedAnalyses::none();
  }

 private:
  static void add_hooks(Function& function, const FunctionPoints& points, GlobalVariable* row, FunctionCallee hook) {
    points.for_each([&](unsigned point, Instruction* before) {
      IRBuilder<> ir(before);
      CallInst* call = ir.CreateCall(hook, {row, ir.getInt32(point)});
      call->setCallingConv(CallingConv::PreserveMost);
      // A call of a function with debug information must have a place; line 0 belongs to nobody.
      if (DISubprogram* subprogram = function.getSubprogram())
        call->setDebugLoc(before->getDebugLoc() ? before->getDebugLoc().get()
                                                : DILocation::get(function.getContext(), 0, 0, subprogram));
    });
  }
};

}  // namespace
}  // namespace heddle::instrument

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "heddle-blocks", "1", [](PassBuilder& builder) {
            builder.registerOptimizerLastEPCallback([](ModulePassManager& manager, OptimizationLevel) {
              manager.addPass(heddle::instrument::BlockHookPass());
            });
          }};
}
