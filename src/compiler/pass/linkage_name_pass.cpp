#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include "pass/passes.h"

using namespace llvm;

namespace heddle::instrument {

PreservedAnalyses LinkageNamePass::run(Module& module, ModuleAnalysisManager&) {
  for (Function& function : module) {
    DISubprogram* subprogram = function.getSubprogram();
    if (subprogram && subprogram->isDistinct() && subprogram->getLinkageName().empty() &&
        subprogram->getName() != function.getName())
      subprogram->replaceLinkageName(MDString::get(module.getContext(), function.getName()));
  }
  return PreservedAnalyses::all();
}

}  // namespace heddle::instrument
