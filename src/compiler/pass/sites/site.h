#pragma once
// A place before which a hook goes, found in one function.
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
  std::uint64_t size_bytes;  // 0: a range whose length the hook is told
  // Emits the calls that tell the runtime what `instruction` is about to touch.
  llvm::unique_function<void(HookBuilder&)> announce;
};

}  // namespace heddle::instrument
