#pragma once
#include <llvm/IR/PassManager.h>

namespace heddle::instrument {

// Marks repetitive blocks in the sense of LEAN (J. Huang, C. Zhang, OOPSLA 2012, section 3.2.2): loops with a counting
// variable that end only by their condition, by an exception, or by code that never returns. The body of a marked loop
// begins with a test whether to skip the iteration, which then continues with the step. The pass runs at the beginning
// of the optimiser, where variables are still in memory, so that no value of the body is needed after it. It runs only
// with HEDDLE_HOOKS=iterations.
//
// Loops over the elements of a container are also marked, with the prefix HEDDLE_EACH_PREFIX. Their iterations are
// skipped only if a slice shows that the failure does not depend on them, because many such loops do very little work.
class IterationPass : public llvm::PassInfoMixin<IterationPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
  static bool isRequired() { return true; }
};

}  // namespace heddle::instrument
