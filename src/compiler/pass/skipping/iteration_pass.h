#pragma once
#include <llvm/IR/PassManager.h>

namespace heddle::instrument {

// Repetitive blocks in the sense of LEAN (J. Huang, C. Zhang, OOPSLA 2012, section 3.2.2): loops that count, and that
// nothing but their condition ends; what is thrown, and what never returns, may leave them. Their bodies begin with the
// question whether this iteration is to be left out, and if so go to the step at once. Works where variables are still in
// memory, at the beginning of the optimiser: no value of the body is needed after it. Only with HEDDLE_HOOKS=iterations.
// Loops over the elements of a container are marked as well, by a name of their own: their iterations are left out only
// where a slice says that nothing depends on them, since there are many in which next to nothing happens.
class IterationPass : public llvm::PassInfoMixin<IterationPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
  static bool isRequired() { return true; }
};

}  // namespace heddle::instrument
