#pragma once
// The module passes of the plugins, in the order in which they run. All are required, so that LLVM never skips one.
#include <llvm/IR/PassManager.h>

namespace heddle::instrument {

template <typename Pass>
struct RequiredPass : llvm::PassInfoMixin<Pass> {
  static bool isRequired() { return true; }
};

// Writes the linkage names of functions into the debug information, before any function is inlined. Line tables (-g1)
// contain only short names, such as "get" for every get() of every class, and site names need the linkage names. Unlike
// -fdebug-info-for-profiling, the pass does not change the code.
struct LinkageNamePass : RequiredPass<LinkageNamePass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Records the source file of the module, and whether it was compiled with NDEBUG (abi/units.h).
struct UnitPass : RequiredPass<UnitPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Marks repetitive blocks in the sense of LEAN (J. Huang, C. Zhang, OOPSLA 2012, section 3.2.2): loops with a counting
// variable that end only by their condition, by an exception, or by code that never returns. The body of a marked loop
// begins with a test whether to skip the iteration, which then continues with the step. The pass runs at the beginning
// of the optimiser, where variables are still in memory, so that no value of the body is needed after it. It runs only
// with HEDDLE_HOOKS=iterations.
//
// Loops over the elements of a container are also marked, with the prefix HEDDLE_EACH_PREFIX. Their iterations are
// skipped only if a slice shows that the failure does not depend on them, because many such loops do very little work.
struct IterationPass : RequiredPass<IterationPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Marks calls of non-library functions whose result is not used. Shrinking may skip such a call if a slice shows that
// the failure does not depend on it (OOPSLA 2012, section 3.2.1). A marked call is preceded by a test whether to skip
// it. The pass runs after IterationPass, and only with HEDDLE_HOOKS=calls.
struct CallPass : RequiredPass<CallPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

// Adds a site for every access to memory that may be shared, at the end of the optimiser. The pass decides where hooks
// are placed; the runtime decides what an access means.
struct InstrumentPass : RequiredPass<InstrumentPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
};

}  // namespace heddle::instrument
