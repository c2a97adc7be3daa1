#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include <cstdlib>

#include "pass/passes.h"

using namespace llvm;

namespace {

// True if HEDDLE_HOOKS contains this word.
bool is_enabled(StringRef hook) {
  const char* hooks = std::getenv("HEDDLE_HOOKS");
  SmallVector<StringRef, 4> names;
  StringRef(hooks ? hooks : "").split(names, ',');
  return is_contained(names, hook);
}

}  // namespace

// The pass runs at the end of the optimiser, so that sites describe the optimised code. With -flto that is the end of
// the compile step, and the linker's optimiser works on instrumented code.
extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  using namespace heddle::instrument;
  return {LLVM_PLUGIN_API_VERSION, "heddle", "1", [](PassBuilder& builder) {
            builder.registerPipelineStartEPCallback([](ModulePassManager& manager, OptimizationLevel) {
              manager.addPass(LinkageNamePass());
              manager.addPass(UnitPass());
              if (is_enabled("iterations")) manager.addPass(IterationPass());
              if (is_enabled("calls")) manager.addPass(CallPass());
            });
            builder.registerOptimizerLastEPCallback(
                [](ModulePassManager& manager, OptimizationLevel) { manager.addPass(InstrumentPass()); });
            builder.registerPipelineParsingCallback(
                [](StringRef name, ModulePassManager& manager, ArrayRef<PassBuilder::PipelineElement>) {
                  if (name != "heddle") return false;
                  manager.addPass(InstrumentPass());
                  return true;
                });
          }};
}
