#pragma once
#include <llvm/IR/PassManager.h>

namespace heddle::instrument {

// Records the source file of the module, and whether it was compiled with NDEBUG (abi/units.h).
struct UnitPass : llvm::PassInfoMixin<UnitPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::instrument
