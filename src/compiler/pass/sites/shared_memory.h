#pragma once
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>

namespace heddle::instrument {

// Decides whether another thread may know an address. The base of the address decides:
//
// - a local variable, fresh heap memory and a by-value argument are shared if their address escapes from the function;
// - a global variable is shared unless it is constant or a counter of a coverage build;
// - every other address is shared, except in a vtable or in a thread-local segment.
//
// REQUIRES: one object per function, because escape analysis is cached for its values.
class SharedMemory {
 public:
  // Shared: addresses that another thread may know. Private: addresses that only this function and its callees can
  // reach, except variables that are only read and written as a whole, which are treated like registers.
  enum class Scope { Shared, Private };
  explicit SharedMemory(Scope scope = Scope::Shared) : scope_(scope) {}

  bool may_contain(const llvm::Value* address);
  Scope scope() const { return scope_; }

 private:
  bool leaves_function(const llvm::Value* object);

  const Scope scope_;
  llvm::DenseMap<const llvm::Value*, bool> leaves_function_;
};

// The local variable at this address, if all its uses are reads and writes of the whole variable; otherwise nullptr.
const llvm::AllocaInst* whole_variable_at(const llvm::Value* address);

}  // namespace heddle::instrument
