#pragma once
#include <llvm/IR/PassManager.h>

namespace heddle::instrument {

// Writes the linkage names of functions into the debug information, before any function is inlined. Line tables (-g1)
// contain only short names, such as "get" for every get() of every class, and site names need the linkage names. Unlike
// -fdebug-info-for-profiling, the pass does not change the code.
struct LinkageNamePass : llvm::PassInfoMixin<LinkageNamePass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::instrument
