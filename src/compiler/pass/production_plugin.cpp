// The plugin of HEDDLE_BUILD=production. It adds no sites, only the data that makes a core readable: rows of blocks,
// loop counters, and pseudo-probes that carry the number of each point to the machine code
// (docs/design/017_core_dumps.md).
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PseudoProbe.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/MD5.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <cstdlib>
#include <string_view>

#include "abi/blocks.h"
#include "pass/blocks/block_table.h"
#include "pass/blocks/loop_counters.h"
#include "pass/passes.h"

using namespace llvm;

namespace heddle::instrument {
namespace {

bool is_set(const char* variable) {
  const char* word = std::getenv(variable);
  return word != nullptr && std::string_view(word) == "1";
}

// For checks of the mapping from addresses to blocks: the assembly then names the block that each machine block comes
// from.
void name_blocks(const FunctionPoints& points) {
  for (std::size_t i = 0; i < points.blocks.size(); ++i) points.blocks[i]->setName("heddle.b" + Twine(i));
}

class ProductionPass : public RequiredPass<ProductionPass> {
 public:
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& manager) {
    auto& functions = manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    SmallVector<GlobalValue*, 64> retained;
    const CounterOptions options = CounterOptions::from_environment();
    for (Function& function : module) {
      if (!has_points(function)) continue;
      const FunctionPoints points(function);
      const LoopInfo& loops = functions.getResult<LoopAnalysis>(function);
      retained.append({&function, create_block_row(function, points, loops)});
      forbid_tail_calls(function);
      add_loop_counters(function, loops, functions.getResult<ScalarEvolutionAnalysis>(function), options);
      add_probes(module, function, points);
      if (is_set("HEDDLE_COUNT_POINTS")) count_points(module, points);
      if (is_set("HEDDLE_NAME_BLOCKS")) name_blocks(points);
    }
    if (retained.empty()) return PreservedAnalyses::all();
    appendToCompilerUsed(module, retained);
    return PreservedAnalyses::none();
  }

 private:
  static void count_points(Module& module, const FunctionPoints& points) {
    Type* word = Type::getInt64Ty(module.getContext());
    auto* counter = cast<GlobalVariable>(module.getOrInsertGlobal(HEDDLE_POINT_COUNT, word, [&] {
      auto* created = new GlobalVariable(module, word, /*isConstant=*/false, GlobalValue::ExternalLinkage, nullptr,
                                         HEDDLE_POINT_COUNT, nullptr, GlobalValue::InitialExecTLSModel);
      created->setVisibility(GlobalValue::HiddenVisibility);
      return created;
    }));
    points.for_each([&](unsigned, Instruction* before) {
      IRBuilder<> ir(before);
      ir.CreateStore(ir.CreateAdd(ir.CreateLoad(word, counter), ir.getInt64(1)), counter);
    });
  }

  // The probe of a call. Code generation moves pseudo-probe intrinsics to the beginning of their block, where the
  // probes of several calls cannot be distinguished; an assembler directive keeps its position.
  static InlineAsm* probe_in_place(const Function& function, std::uint64_t guid, unsigned index) {
    std::string name;
    for (const char c : function.getName()) name += c == '$' ? std::string("$$") : std::string(1, c);
    const std::string text =
        ".pseudoprobe " + std::to_string(guid) + " " + std::to_string(index) + " 0 0 \"" + name + "\"";
    return InlineAsm::get(FunctionType::get(Type::getVoidTy(function.getContext()), false), text, "",
                          /*hasSideEffects=*/true);
  }

  static void add_probes(Module& module, Function& function, const FunctionPoints& points) {
    DISubprogram* subprogram = function.getSubprogram();
    if (subprogram == nullptr) return;
    LLVMContext& context = module.getContext();
    const std::uint64_t guid = MD5Hash(function.getName());
    Function* probe = Intrinsic::getDeclaration(&module, Intrinsic::pseudoprobe);
    points.for_each([&](unsigned point, Instruction* before) {
      IRBuilder<> ir(before);
      CallInst* call = point < points.blocks.size()
                           ? ir.CreateCall(probe, {ir.getInt64(guid), ir.getInt64(point + 1), ir.getInt32(0),
                                                   ir.getInt64(PseudoProbeFullDistributionFactor)})
                           : ir.CreateCall(probe_in_place(function, guid, point + 1));
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
