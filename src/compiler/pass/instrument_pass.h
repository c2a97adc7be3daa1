#pragma once
#include <llvm/IR/PassManager.h>

namespace heddle::instrument {

// Gives every access to memory that may be shared a site. Decides where hooks go, never what they mean.
struct InstrumentPass : llvm::PassInfoMixin<InstrumentPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::instrument
