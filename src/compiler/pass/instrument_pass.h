#pragma once
#include <llvm/IR/PassManager.h>

namespace heddle::instrument {

// Adds a site for every access to memory that may be shared. The pass decides where hooks are placed; what an access
// means is decided by the runtime.
struct InstrumentPass : llvm::PassInfoMixin<InstrumentPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::instrument
