#pragma once
// Each function exists in two versions: the optimiser's output, and a copy with hooks. One byte selects the version at
// entry, so that a run without armed sites costs one test per call instead of one per access.
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

namespace heddle::instrument {

// Why `function` cannot have a second version; empty if it can.
llvm::StringRef reason_for_one_version(const llvm::Function& function);

// Makes a copy of `function` that the linker keeps or drops together with it.
// REQUIRES: reason_for_one_version(function) is empty.
llvm::Function* create_armed_version(llvm::Function& function);

// Makes `function` tail-call `armed_version` if `function_byte` is set.
void choose_at_entry(llvm::Function& function, llvm::Function& armed_version, llvm::Constant* function_byte);

}  // namespace heddle::instrument
