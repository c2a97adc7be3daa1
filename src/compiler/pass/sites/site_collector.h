#pragma once
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>

#include "pass/sites/shared_memory.h"
#include "pass/sites/site.h"

namespace heddle::instrument {

// The sites of a function, in the order of its instructions; sites of one instruction are next to each other, reads
// before writes.
llvm::SmallVector<Site, 32> collect_sites(llvm::Function& function,
                                          SharedMemory::Scope asked = SharedMemory::Scope::Shared);

}  // namespace heddle::instrument
