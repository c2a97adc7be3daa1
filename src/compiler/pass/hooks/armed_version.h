#pragma once
// Each function exists twice: as the optimiser left it, and with hooks. One byte decides at entry, so that a run in
// which nobody looks pays one test a call instead of one an access.
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

namespace heddle::instrument {

// Why `function` can only exist once; empty if it can exist twice.
llvm::StringRef reason_for_one_version(const llvm::Function& function);

// A copy of `function` that is kept and dropped together with it.
// REQUIRES: reason_for_one_version(function) is empty.
llvm::Function* create_armed_version(llvm::Function& function);

// Makes `function` go on as `armed_version` when `function_byte` is set.
void choose_at_entry(llvm::Function& function, llvm::Function& armed_version, llvm::Constant* function_byte);

}  // namespace heddle::instrument
