#pragma once
#include <llvm/IR/PassManager.h>

namespace heddle::instrument {

// Calls whose result nobody uses, of functions that are not a library's: an execution that is shrunk may do without one of
// them if a slice says that nothing depends on it (J. Huang, C. Zhang, OOPSLA 2012, section 3.2.1). Each asks before it is
// made whether it is to be left out. At the beginning of the optimiser, as loops (iteration_pass.h). Only with
// HEDDLE_HOOKS=calls.
class CallPass : public llvm::PassInfoMixin<CallPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
  static bool isRequired() { return true; }
};

}  // namespace heddle::instrument
