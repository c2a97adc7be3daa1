#pragma once
// Sites for vector instructions that access only some of their lanes.
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IntrinsicInst.h>

#include "pass/sites/shared_memory.h"
#include "pass/sites/site.h"

namespace heddle::instrument {

// Returns false if the intrinsic is not a masked access.
bool collect_masked_access(llvm::IntrinsicInst& intrinsic, SharedMemory& shared, llvm::SmallVectorImpl<Site>& sites);

}  // namespace heddle::instrument
