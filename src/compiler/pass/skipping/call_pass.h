#pragma once
#include <llvm/IR/PassManager.h>

namespace heddle::instrument {

// Marks calls of non-library functions whose result is not used. Shrinking may skip such a call if a slice shows that
// the failure does not depend on it (J. Huang, C. Zhang, OOPSLA 2012, section 3.2.1). A marked call is preceded by a
// test whether to skip it. The pass runs at the beginning of the optimiser, like that for loops (iteration_pass.h), and
// only with HEDDLE_HOOKS=calls.
class CallPass : public llvm::PassInfoMixin<CallPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
  static bool isRequired() { return true; }
};

}  // namespace heddle::instrument
