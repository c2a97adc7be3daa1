#pragma once
#include <llvm/IR/Module.h>

namespace heddle::instrument {

// Adds a constructor that registers the module's sites with the runtime before its other constructors run, and a
// destructor that unregisters them. Every object file contains this pair; the linker keeps one in each executable and
// library.
void add_module_constructor(llvm::Module& module);

}  // namespace heddle::instrument
