#pragma once
// An instruction of one function before which a hook is placed.
#include <llvm/ADT/FunctionExtras.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>

#include "abi/hooks.h"

namespace heddle::instrument {

class HookBuilder;

struct Site {
  llvm::Instruction* instruction;  // the hook comes before it
  HeddleSiteKind kind;
  HeddleMemoryOrder order;
  std::uint64_t size_bytes;  // 0: a range whose length is an argument of the hook
  // Emits the hook calls that announce the accesses of `instruction` to the runtime.
  llvm::unique_function<void(HookBuilder&)> announce;
};

// True for accesses that read, including atomic updates.
inline bool reads(const Site& site) {
  return site.kind == HEDDLE_SITE_READ || site.kind == HEDDLE_SITE_ATOMIC_READ ||
         site.kind == HEDDLE_SITE_ATOMIC_UPDATE || site.kind == HEDDLE_SITE_RANGE_READ;
}

}  // namespace heddle::instrument
