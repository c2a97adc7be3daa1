#pragma once
#include <llvm/IR/PassManager.h>

namespace heddle::instrument {

// Line tables (-g1) know functions by their short names only: "get" for every get() of every class. Before anything is
// inlined, this writes the linkage names into the debug information, where site names find them. It changes no code, as
// -fdebug-info-for-profiling would.
struct LinkageNamePass : llvm::PassInfoMixin<LinkageNamePass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::instrument
