#pragma once
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Value.h>

namespace heddle::instrument {

// Tells which addresses another thread could know too. Within one function, because it remembers what escapes from it.
class SharedMemory {
 public:
  bool may_contain(const llvm::Value* address);

 private:
  bool leaves_function(const llvm::Value* object);

  llvm::DenseMap<const llvm::Value*, bool> leaves_function_;
};

}  // namespace heddle::instrument
