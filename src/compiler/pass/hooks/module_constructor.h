#pragma once
#include <llvm/IR/Module.h>

namespace heddle::instrument {

// Announces the module's sites to the runtime before its other constructors run, and takes them back when it is
// unloaded. Every object file carries this pair; one survives in each executable and library.
void add_module_constructor(llvm::Module& module);

}  // namespace heddle::instrument
