#pragma once
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>

namespace heddle::instrument {

// Tells which addresses another thread could know too. Within one function, because it remembers what escapes from it.
class SharedMemory {
 public:
  // Private: the other way round. The addresses of memory that only this function, and whom it lends it to, can know.
  // Without variables that are read and written as a whole: these are as good as registers.
  enum class Scope { Shared, Private };
  explicit SharedMemory(Scope asked = Scope::Shared) : asked_(asked) {}

  bool may_contain(const llvm::Value* address);
  Scope asked() const { return asked_; }

 private:
  bool leaves_function(const llvm::Value* object);

  const Scope asked_;
  llvm::DenseMap<const llvm::Value*, bool> leaves_function_;
};

// The local variable at this address, if all that happens to it is that it is read and written as a whole.
const llvm::AllocaInst* whole_variable_at(const llvm::Value* address);

}  // namespace heddle::instrument
