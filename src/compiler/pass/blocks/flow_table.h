#pragma once
// The data flow inside a function, for slices of its executions (abi/flow.h).
#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

#include "pass/blocks/block_table.h"
#include "pass/sites/site.h"

namespace heddle::instrument {

// The function's row, in the section of such rows. `shared`: its sites; `own`: its accesses to private memory; both in
// the order of the instructions. REQUIRES: no code was added to the function yet.
llvm::GlobalVariable* create_flow_row(llvm::Function& function, const FunctionPoints& points,
                                      llvm::GlobalVariable* block_row, llvm::ArrayRef<Site> shared,
                                      llvm::ArrayRef<Site> own);

}  // namespace heddle::instrument
