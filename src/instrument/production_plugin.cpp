// The plugin of HEDDLE_BUILD=production: no sites, only what makes a core readable. Rows of blocks, loop counters, and
// pseudo-probes that carry the number of each point to the machine code (docs/design/017-core-dumps.md).
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PseudoProbe.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/MD5.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "instrument/block_table.h"
#include "instrument/linkage_name_pass.h"
#include "instrument/loop_counters.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

class ProductionPass : public PassInfoMixin<ProductionPass> {
 public:
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module& module, ModuleAnalysisManager& manager) {
    auto& functions = manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    SmallVector<GlobalValue*, 64> retained;
    for (Function& function : module) {
      if (!has_points(function)) continue;
      const FunctionPoints points(function);
      const LoopInfo& loops = functions.getResult<LoopAnalysis>(function);
      retained.append({&function, create_block_row(function, points, loops)});
      forbid_tail_calls(function);
      add_loop_counters(function, loops);
      add_probes(module, function, points);
    }
    if (retained.empty()) return PreservedAnalyses::all();
    appendToCompilerUsed(module, retained);
    return PreservedAnalyses::none();
  }

 private:
  static void add_probes(Module& module, Function& function, const FunctionPoints& points) {
    DISubprogram* subprogram = function.getSubprogram();
    if (subprogram == nullptr) return;
    LLVMContext& context = module.getContext();
    const std::uint64_t guid = MD5Hash(function.getName());
    Function* probe = Intrinsic::getDeclaration(&module, Intrinsic::pseudoprobe);
    points.for_each([&](unsigned point, Instruction* before) {
      IRBuilder<> ir(before);
      CallInst* call = ir.CreateCall(probe, {ir.getInt64(guid), ir.getInt64(point + 1), ir.getInt32(0),
                                             ir.getInt64(PseudoProbeFullDistributionFactor)});
      call->setDebugLoc(DILocation::get(context, 0, 0, subprogram));
    });
    module.getOrInsertNamedMetadata(PseudoProbeDescMetadataName)
        ->addOperand(MDBuilder(context).createPseudoProbeDesc(guid, points.blocks.size(), function.getName()));
  }
};

}  // namespace
}  // namespace heddle::instrument

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  using namespace heddle::instrument;
  return {LLVM_PLUGIN_API_VERSION, "heddle-production", "1", [](PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](ModulePassManager& manager, OptimizationLevel) { manager.addPass(LinkageNamePass()); });
            builder.registerOptimizerLastEPCallback(
                [](ModulePassManager& manager, OptimizationLevel) { manager.addPass(ProductionPass()); });
          }};
}
