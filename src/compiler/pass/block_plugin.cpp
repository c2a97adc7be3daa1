// The plugin of HEDDLE_HOOKS=branches: a hook at every block and call, and hooks for accesses to private memory. It
// runs before the plugin that inserts the armed sites, so that the blocks are numbered before any code is added to
// them.
#include <llvm/IR/IRBuilder.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "abi/flow.h"
#include "pass/blocks/block_table.h"
#include "pass/blocks/flow_table.h"
#include "pass/hooks/hook_builder.h"
#include "pass/passes.h"
#include "pass/sites/site_collector.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

class BlockHookPass : public RequiredPass<BlockHookPass> {
 public:
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& manager) {
    auto& functions = manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    SmallVector<GlobalValue*, 64> retained;
    SmallVector<Function*, 64> with_points;
    for (Function& function : module)
      if (has_points(function)) with_points.push_back(&function);
    if (with_points.empty()) return PreservedAnalyses::all();
    LLVMContext& context = module.getContext();
    const FunctionCallee hook = declare_hook(module, "__heddle_block", Type::getVoidTy(context),
                                             {PointerType::getUnqual(context), Type::getInt32Ty(context)});
    Hooks private_hooks(module, "__heddle_private_", Hooks::Clobbers::NoRegister);
    private_hooks.promise_no_capture();
    for (Function* function : with_points) {
      const FunctionPoints points(*function);
      GlobalVariable* row = create_block_row(*function, points, functions.getResult<LoopAnalysis>(*function));
      SmallVector<Site, 32> own = collect_sites(*function, SharedMemory::Scope::Private);
      GlobalVariable* flow = create_flow_row(*function, points, row, collect_sites(*function), own);
      retained.append({function, row, flow});
      forbid_tail_calls(*function);
      add_hooks(points, row, hook);
      add_private_hooks(own, private_hooks);
    }
    appendToCompilerUsed(module, retained);
    return PreservedAnalyses::none();
  }

 private:
  // From the last site to the first, because some hooks split their block. The hook of a write follows the instruction,
  // so that reads by the same instruction are recorded first.
  static void add_private_hooks(MutableArrayRef<Site> own, const Hooks& hooks) {
    for (std::size_t number = own.size(); number-- > 0;) {
      Site& site = own[number];
      const bool write = !reads(site) || site.kind == HEDDLE_SITE_ATOMIC_UPDATE;
      const bool after = !reads(site) && !site.instruction->isTerminator();
      IRBuilder<> ir(after ? site.instruction->getNextNode() : site.instruction);
      ir.SetCurrentDebugLocation(location_of_added_code(*site.instruction));
      const std::uint64_t word = site.size_bytes << HEDDLE_PRIVATE_SIZE_SHIFT |
                                 std::uint64_t{number} << HEDDLE_PRIVATE_NUMBER_SHIFT |
                                 (write ? HEDDLE_PRIVATE_WRITE : 0);
      HookBuilder hook(hooks, ir, ConstantExpr::getIntToPtr(ir.getInt64(word), ir.getPtrTy()));
      site.announce(hook);
    }
  }

  static void add_hooks(const FunctionPoints& points, GlobalVariable* row, FunctionCallee hook) {
    points.for_each([&](unsigned point, Instruction* before) {
      IRBuilder<> ir(before);
      CallInst* call = ir.CreateCall(hook, {row, ir.getInt32(point)});
      call->setCallingConv(CallingConv::PreserveMost);
      call->setDebugLoc(location_of_added_code(*before));
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
