#pragma once
// Sites for calls into libc and libstdc++ (library_calls.h) and for arguments passed by value.
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>

#include "pass/sites/shared_memory.h"
#include "pass/sites/site.h"

namespace heddle::instrument {

void collect_call_sites(llvm::CallBase& call, SharedMemory& shared, llvm::SmallVectorImpl<Site>& sites);

}  // namespace heddle::instrument
