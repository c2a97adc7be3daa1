#pragma once
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>

#include "pass/sites/shared_memory.h"
#include "pass/sites/site.h"

namespace heddle::instrument {

// Finds the sites of a function: loads, stores, atomic operations and fences, memory intrinsics, masked vector
// accesses, calls of library functions with known effects, and arguments passed by value. Accesses to memory outside
// `scope` (shared_memory.h) and fences between signal handlers of one thread are not sites.
//
// INVARIANT: the result has the order of the instructions, and a copy of the function gives the same list: rows and
// armed bytes are addressed by index. The sites of one instruction are adjacent, reads before writes.
llvm::SmallVector<Site, 32> collect_sites(llvm::Function& function,
                                          SharedMemory::Scope scope = SharedMemory::Scope::Shared);

}  // namespace heddle::instrument
